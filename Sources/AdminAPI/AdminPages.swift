/// Pages of a list that are read one after another, as one answer.
package final class AdminPages {
    /// Place behind the page that was added last; `nil` on the last page.
    var next: (any AdminValue)?
    /// Rows of all pages so far by their field, each an array of their type.
    private var rows: [String: Any] = [:]
    private var isTurned = false

    package init() {}

    /// Adds a page.
    ///
    /// - Returns: the answer with the rows of all pages so far; an answer without pages as it is.
    package func add(_ answer: AdminAnswer) -> AdminAnswer {
        self.next = nil
        return self.passed(answer)
    }

    /// The request for the page behind the one that was added last; `nil` behind the last, and for a request that has
    /// no pages.
    package func request(behind request: AdminRequest) -> AdminRequest? {
        guard self.next != nil else { return nil }
        self.isTurned = false
        let following = self.passed(request)
        return self.isTurned ? following : nil
    }

    private func passed<Family: AdminFamily>(_ value: Family) -> Family {
        do throws(AdminError) {
            return try value.pass(.turning(value, self))
        } catch {
            preconditionFailure("only reading finds a field wrong: \(error)")
        }
    }

    /// Rows of all pages so far with these behind them.
    func add<Row: AdminValue>(_ page: [Row], _ key: String) -> [Row] {
        let all = (self.rows[key] as? [Row] ?? []) + page
        self.rows[key] = all
        return all
    }

    /// Place of the page behind the one that was added last.
    func turn<Place: AdminValue>() -> Place? {
        self.isTurned = true
        return self.next as? Place
    }
}
