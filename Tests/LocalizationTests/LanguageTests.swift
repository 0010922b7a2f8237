import Localization
import Testing

@Suite("Language")
struct LanguageTests {
    @Test(
        "is named as people and locales name it",
        arguments: [
            ("en", .english), ("EN", .english), ("en_GB.UTF-8", .english), ("en-US", .english), ("zh", .chinese),
            ("zh-Hans", .chinese), ("zh_CN.UTF-8", .chinese), ("zh_TW", .chinese), ("zh@pinyin", .chinese),
            ("de_DE", nil),
            ("C", nil), ("C.UTF-8", nil), ("POSIX", nil), ("", nil), ("english", nil), ("zhx", nil),
        ] as [(String, Language?)])
    func named(_ name: String, _ language: Language?) {
        #expect(Language(named: name) == language)
    }

    @Test(
        "the first locale variable that is set decides, alone",
        arguments: [
            ([:], .english), (["LANG": "zh_CN.UTF-8"], .chinese), (["LC_ALL": "", "LANG": "zh_CN"], .chinese),
            (["LC_ALL": "en_US", "LANG": "zh_CN"], .english), (["LC_ALL": "C", "LANG": "zh_CN"], .english),
            (["LC_MESSAGES": "zh_CN", "LANG": "en_US"], .chinese), (["LC_CTYPE": "zh_CN", "LANG": "en_US"], .english),
            (["LANG": "de_DE"], .english),
        ] as [([String: String], Language)])
    func environment(_ variables: [String: String], _ language: Language) {
        #expect(Language(environment: variables) == language)
    }
}
