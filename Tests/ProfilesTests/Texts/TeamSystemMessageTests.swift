import ChatModel
import Localization
import Profiles
import Store
import Testing

private let english = Texts(embedded: .english)
private let chinese = Texts(embedded: .chinese)
private let ada = SystemMessagePerson(UserName("a")!, name: "A")
private let bob = SystemMessagePerson(UserName("b")!, name: "B")
private let cai = SystemMessagePerson(UserName("c")!, name: "C")

struct TeamSystemMessageTests {
    @Test(
        "each event of a team has its text in both languages",
        arguments: [
            (.invited, "A邀请B进入了群", "A invited B to the group"),
            (.removed, "A将B移出了群", "A removed B from the group"),
            (.left, "A离开了群", "A left the group"), (.dismissed, "A解散了群", "A dissolved the group"),
            (.joined, "A进入了群", "A joined the group"),
            (.applicationPassed, "A通过了B的申请", "A approved the request from B"),
            (.invitationAccepted, "A接受B的邀请进群", "A accepted the invitation from B to the group"),
            (.ownerChanged, "A转移了群主身份给B", "A handed the group over to B"),
            (.managerAdded, "B被添加为群管理员", "B became group manager"),
            (.managerRemoved, "B被撤销了群管理员身份", "B stopped being group manager"),
            (.muted, "B被A禁言", "A muted B"), (.unmuted, "B被A解除禁言", "A unmuted B"),
            (.updated([.name]), "A更新了群名称", "A changed the name of the group"),
            (.updated([.introduction]), "A更新了群介绍", "A changed the introduction of the group"),
            (.updated([.notice]), "A更新了群公告", "A changed the announcement of the group"),
            (.updated([.joinMode]), "A更新了群验证方式", "A changed how people join the group"),
            (.updated([.picture]), "A更新了群头像", "A changed the picture of the group"),
            (.updated([.inviteMode]), "A更新了邀请他人权限", "A changed who may invite"),
            (.updated([.inviteeMode]), "A更新了被邀请人身份验证权限", "A changed whether invited people are asked"),
            (.updated([.updateMode]), "A更新了群资料修改权限", "A changed who may edit the group"),
            (.updated([.name, .notice]), "A更新了群信息", "A updated the group"),
            (.allMuted, "A设置了群全体禁言", "A muted everyone in the group"),
            (.allUnmuted, "A取消了全体禁言", "A let everyone speak again"),
            (.unknown, "未知系统消息", "Unknown system message"), (.updated([]), "未知系统消息", "Unknown system message"),
        ] as [(TeamEvent, String, String)])
    func events(event: TeamEvent, inChinese: String, inEnglish: String) {
        #expect(TeamSystemMessage(chinese, reader: nil).text(event, actor: ada, targets: [bob]) == inChinese)
        #expect(TeamSystemMessage(english, reader: nil).text(event, actor: ada, targets: [bob]) == inEnglish)
    }

    @Test("the reader is you, whether they did it or it was done to them")
    func reader() {
        let asActor = TeamSystemMessage(chinese, reader: ada.user)
        let asTarget = TeamSystemMessage(english, reader: bob.user)
        #expect(asActor.text(.invited, actor: ada, targets: [bob]) == "你邀请B进入了群")
        #expect(
            TeamSystemMessage(english, reader: ada.user).text(.invited, actor: ada, targets: [bob])
                == "You invited B to the group")
        #expect(asTarget.text(.invited, actor: ada, targets: [bob]) == "A invited you to the group")
        #expect(asTarget.text(.managerAdded, actor: ada, targets: [bob]) == "You became group manager")
        #expect(TeamSystemMessage(chinese, reader: bob.user).text(.muted, actor: ada, targets: [bob]) == "你被A禁言")
    }

    @Test("of several people the first is named and the others counted; the team's word follows its kind")
    func several() {
        let people = [bob, cai, ada]
        #expect(TeamSystemMessage(chinese, reader: nil).text(.invited, actor: ada, targets: people) == "A邀请B等3人进入了群")
        #expect(
            TeamSystemMessage(english, reader: nil).text(.invited, actor: ada, targets: people)
                == "A invited B and 2 others to the group")
        #expect(
            TeamSystemMessage(english, reader: nil).text(.removed, actor: ada, targets: [bob, cai], team: .normal)
                == "A removed B and 1 other from the discussion group")
        #expect(TeamSystemMessage(chinese, reader: nil).text(.joined, actor: ada, team: .normal) == "A进入了讨论组")
        #expect(TeamSystemMessage(chinese, reader: nil).text(.joined, actor: ada, team: .large) == "A进入了群")
    }

    @Test("an event that lacks the person it is about is unknown")
    func lacksTarget() {
        #expect(TeamSystemMessage(chinese, reader: nil).text(.invited, actor: ada) == "未知系统消息")
        #expect(TeamSystemMessage(chinese, reader: nil).text(RoomEvent.entered) == "未知系统消息")
    }

    @Test("names are data: places in them stay text, controls and turned direction do not come through")
    func hostileNames() {
        let hostile = SystemMessagePerson(UserName("x")!, name: "\u{1B}[2J{targets}\u{202E}\nx")
        #expect(
            TeamSystemMessage(chinese, reader: nil).text(.invited, actor: hostile, targets: [bob])
                == "[2J{targets} x邀请B进入了群")
        let empty = SystemMessagePerson(UserName("x")!, name: "\u{200B}\u{3164}")
        #expect(TeamSystemMessage(chinese, reader: nil).text(.left, actor: empty) == "[该用户未设置昵称]离开了群")
    }

    @Test(
        "each event of a room has its text",
        arguments: [
            (.entered, "欢迎X进入直播间"), (.left, "X离开了直播间"), (.removed, "X被管理员移出直播间"), (.muted, "X被管理员禁言"),
            (.temporarilyMuted, "X被管理员临时禁言"), (.unmuted, "X被管理员解除禁言"), (.blocked, "X被管理员拉入黑名单"),
            (.unblocked, "X被管理员解除拉黑"), (.managerAdded, "X被任命管理员身份"), (.managerRemoved, "X被解除管理员身份"),
            (.noticeChanged, "直播间公告已更新"), (.closed, "直播间已关闭"), (.allMuted, "全体禁言，管理员可发言"),
            (.allUnmuted, "解除全体禁言"), (.unknown, "未知系统消息"),
        ] as [(RoomEvent, String)])
    func rooms(event: RoomEvent, text: String) {
        let person = SystemMessagePerson(UserName("x")!, name: "X")
        #expect(TeamSystemMessage(chinese, reader: nil).text(event, targets: [person]) == text)
        #expect(!TeamSystemMessage(english, reader: nil).text(event, targets: [person]).contains("tip."))
    }

    @Test("who was muted in a room is told so")
    func mutedReader() {
        let tip = TeamSystemMessage(chinese, reader: bob.user)
        #expect(tip.text(RoomEvent.muted, targets: [bob]) == "你已被禁言")
        #expect(tip.text(.temporarilyMuted, targets: [bob]) == "你已被临时禁言")
    }

    @Test("every row of a team's card has a title in both languages", arguments: TeamCardRow.Name.allCases)
    func cardRows(row: TeamCardRow.Name) {
        for form in TeamForm.allCases {
            let key = row.titleKey(in: form)
            #expect(english.has(key) && chinese.has(key), "\(key)")
            #expect(TeamCard.title(of: row, in: form, chinese) != key)
        }
    }
}
