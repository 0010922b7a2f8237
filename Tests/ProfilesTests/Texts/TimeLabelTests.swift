import Localization
import Profiles
import Testing

/// 2026-11-21, a Saturday, 00:00 UTC.
private let today: Int64 = 1_795_219_200_000
private let minute: Int64 = 60_000
private let day: Int64 = 86_400_000

struct TimeLabelTests {
    static let chinese = TimeLabel(Texts(embedded: .chinese), offsetSeconds: 0)
    static let english = TimeLabel(Texts(embedded: .english), offsetSeconds: 0)

    @Test(
        "the periods of a day begin and end on their minute",
        arguments: [
            (0, "晚上12:00", "12:00 AM"), (1, "凌晨12:01", "12:01 AM"), (300, "凌晨5:00", "5:00 AM"),
            (301, "上午5:01", "5:01 AM"), (719, "上午11:59", "11:59 AM"), (720, "下午12:00", "12:00 PM"),
            (1080, "下午6:00", "6:00 PM"), (1081, "晚上6:01", "6:01 PM"), (1439, "晚上11:59", "11:59 PM"),
        ] as [(Int64, String, String)])
    func periods(minutes: Int64, inChinese: String, inEnglish: String) {
        let time = today + minutes * minute + 59_999
        #expect(Self.chinese.list(time, now: today + day - 1) == inChinese)
        #expect(Self.english.list(time, now: today + day - 1) == inEnglish)
        #expect(Self.chinese.detailed(time, now: today) == inChinese)
    }

    @Test(
        "days are named as near as they are",
        arguments: [
            (1, "昨天", "Yesterday"), (2, "前天", "Thursday"), (3, "星期三", "Wednesday"), (6, "星期日", "Sunday"),
            (7, "2026-11-14", "Nov 14, 2026"), (-1, "2026-11-22", "Nov 22, 2026"), (325, "2025-12-31", "Dec 31, 2025"),
            (324, "2026-1-1", "Jan 1, 2026"), (997, "2024-2-28", "Feb 28, 2024"), (996, "2024-2-29", "Feb 29, 2024"),
            (995, "2024-3-1", "Mar 1, 2024"), (20_778, "1970-1-1", "Jan 1, 1970"),
            (20_779, "1969-12-31", "Dec 31, 1969"),
        ] as [(Int64, String, String)])
    func days(ago: Int64, inChinese: String, inEnglish: String) {
        let time = today - ago * day + 15 * 60 * minute
        #expect(Self.chinese.list(time, now: today + 5) == inChinese)
        #expect(Self.english.list(time, now: today + 5) == inEnglish)
        #expect(Self.chinese.detailed(time, now: today + 5) == "\(inChinese) 下午3:00")
        #expect(Self.english.detailed(time, now: today + 5) == "\(inEnglish) 3:00 PM")
    }

    @Test("midnight is where the reader is", arguments: [(28_800, "下午3:59"), (-3_600, "昨天"), (20_700, "下午1:44")])
    func offsets(seconds: Int, text: String) {
        let label = TimeLabel(Texts(embedded: .chinese), offsetSeconds: seconds)
        let time = today + 7 * 60 * minute + 59 * minute
        // For the reader in the west it is past midnight, and the time lies before it.
        let now = seconds < 0 ? today + day + 60 * minute : time
        #expect(label.list(time, now: now) == text)
    }

    @Test("the time stands above a message after more than 300 seconds of silence")
    func gap() {
        #expect(TimeLabel.stands(above: 5, after: nil))
        #expect(!TimeLabel.stands(above: 300_000, after: 0))
        #expect(TimeLabel.stands(above: 300_001, after: 0))
        #expect(!TimeLabel.stands(above: 0, after: 300_001))
        #expect(TimeLabel.stands(above: .max, after: .min))
    }
}
