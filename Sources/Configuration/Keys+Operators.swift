/// Roles at the admin socket.
extension Keys {
    package static let operatorObservers = SettingKey<[String]>(
        "operators.observers", [],
        """
        Accounts of this machine that may look at the server with ctl and the console, without texts of messages: names \
        of users, and of groups behind @, such as ["ming", "@support"].
        """)
    package static let operatorHelpers = SettingKey<[String]>(
        "operators.helpers", [],
        """
        Accounts that may also read conversations, end sessions, mute, recall, and answer requests to join teams.
        """)
    package static let operatorAdministrators = SettingKey<[String]>(
        "operators.administrators", [],
        "Accounts that may do everything, as root and the user of the server always may.")
    package static let operatorFolder = SettingKey<String>(
        "operators.folder", "",
        """
        Folder of a second admin socket, to which the accounts above connect, such as /run/teahouse; the data folder is \
        closed to them. Empty: none.
        """)

    static let operators: [SettingDefinition] = [
        operatorObservers.definition, operatorHelpers.definition, operatorAdministrators.definition,
        operatorFolder.definition,
    ]
}
