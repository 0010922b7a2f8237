/// Passwords that everybody tries first, in lower case. A guesser gets a few tries an hour: these are the ones to spend
/// them on.
enum CommonPasswords {
    static func contains(_ lowercased: String) -> Bool { Self.all.contains(Substring(lowercased)) }

    private static let all = Set(Self.words.split { $0 == " " || $0 == "\n" })

    private static let words = """
        00000000 0123456789 01234567890 09876543210 0987654321 1029384756 102938475610 11111111 1111111111 1111122222
        1112131415 111222333444 11223344 1122334455 112233445566 1212121212 121212 123123123 1231231234 123123123123
        12341234 1234123412 1234512345 123454321 123456 1234561234 123456123456 1234567 12345678 1234567812345678
        123456789 1234567890 12345678900 12345678901 1234567890- 12345678910 123456789123 123456789123456789
        1234567890123 123456789a 123456789abc 123456789q 123456789qwe 123456abc 123456abcd 123456abcdef 123456qwerty
        1234abcd 1234qwer 1234qwerasdf 123654789 123698745 123abc123 123qwe123 123qwe123qwe 123qweasd 123qweasdzxc
        131415926 1314521 1314520 147258369 1472583690 159357 159357258456 159753 1a2b3c4d 1a2b3c4d5e 1g2w3e4r
        1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1qaz@wsx 1qazxcvbnm 20202020
        2222222222 321321321 3333333333 3141592653 31415926535 4444444444 5201314 52013141 520131452013 520520520
        5201314520 5201314521 5555555555 6666666666 66668888 666888666 741852963 7418529630 7758521 7777777777
        777888999 789456123 7894561230 8888888888 88888888 888888888 987654321 9876543210 98765432100 99999999
        9999999999 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 aa123456 aa123456789 aa12345678 aaa123456
        abc12345 abc123456 abc1234567 abc123456789 abcabcabc abcd1234 abcd12345 abcd123456 abcde12345 abcdef123456
        abcdefgh abcdefghi abcdefghij abcdefghijk abcdefghijklmnop access14 admin admin123 admin1234 admin12345
        admin123456 admin888 admin@123 administrator administrator1 adminadmin adminadmin1 adminpassword asd123456
        asdasdasd asdf1234 asdfasdf asdfasdfasdf asdfghjkl asdfghjkl1 asdfghjkl; asdf123456 baseball baseball1
        basketball basketball1 changeme changeme1 changeme12 changeme123 changemenow changeit charlie123 chocolate
        chocolate1 christopher computer computer1 computer123 default default123 default1234 defaultpassword dragon
        dragon1234 elizabeth1 facebook football football1 football12 football123 google123 guest12345 helloworld
        helloworld1 hello12345 hello123456 iloveyou iloveyou1 iloveyou12 iloveyou123 iloveyou520 iloveyou1314
        internet internet1 jennifer1 jordan2323 killer1234 letmein letmein1 letmein123 letmein1234 letmeinnow
        liverpool liverpool1 love123456 loveyou123 loveme1234 manchester master1234 masterpassword michael123 michelle1
        mypassword mypassword1 mypassword123 myspace123 nothing123 p@$$w0rd p@$$w0rd123 p@ssw0rd p@ssw0rd1 p@ssw0rd12
        p@ssw0rd123 p@ssw0rd1234 p@ssword p@ssword123 pass1234 pass12345 pass123456 passpass12 passw0rd passw0rd1
        passw0rd12 passw0rd123 password password! password1 password1! password12 password123 password123! password1234
        password12345 password123456 password2 password2020 password2021 password2022 password2023 password2024
        password2025 password2026 passwordpassword pokemon123 princess princess1 princess12 princess123 q1w2e3r4
        q1w2e3r4t5 q1w2e3r4t5y6 qazwsx qazwsxedc qazwsxedc123 qazwsxedcrfv qazxswedc qazxswedc123 qq123456 qq12345678
        qq123456789 qq1234567890 qq5201314 qwe123 qwe123456 qwe123qwe qwe123qwe123 qweasdzxc qweasdzxc123 qweqweqwe
        qwer1234 qwer123456 qwerasdf qwerasdfzxcv qwerqwer qwert12345 qwerty qwerty1 qwerty12 qwerty123 qwerty1234
        qwerty12345 qwerty123456 qwertyqwerty qwertyui qwertyuio qwertyuiop qwertyuiop1 qwertyuiop123 qwertyuiop[]
        root123456 rootpassword rootroot12 samsung123 secret1234 secretpassword server1234 spiderman1 starwars starwars1
        starwars12 summer2024 summer2025 summer2026 sunshine sunshine1 sunshine12 sunshine123 superman superman1
        superman123 teahouse teahouse1 teahouse12 teahouse123 teahouse1234 teahouseteahouse temp123456 temppassword
        test12345 test123456 test1234567 testpassword testtest12 testtesttest thisisapassword trustno1 trustno1234
        unknown123 user123456 username12 victoria1 w123456789 welcome welcome1 welcome12 welcome123 welcome1234
        welcome2024 welcome2025 welcome2026 whatever whatever1 whatever123 windows123 woaini1314 woaini520 woaini521
        woaini123 woaini123456 woaini5201314 woaiwojia wodemima wodemima123 woshishui1 wang123456 zhang123456 li123456789
        x123456789 xiaoming123 z123456789 zaq12wsx zaq12wsxcde3 zaq1xsw2 zxc123456 zxcasdqwe zxcasdqwe123 zxcvbnm
        zxcvbnm1 zxcvbnm12 zxcvbnm123 zxcvbnm123456 zxcvbnm,. zxcvbnm,./ zz123456 zz12345678 zzzzzzzz1
        """
}
