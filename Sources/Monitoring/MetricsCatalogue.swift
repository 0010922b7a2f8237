import Store
import Transport

/// Every metric there is, from one snapshot. `docs/operations.md` explains them; dashboards and alerts name them, and a test
/// holds both against this list: a name that was given out is not changed.
package enum MetricsCatalogue {
    /// Families of metrics in a fixed order; those that do not apply have no sample, or are left out.
    package static func families(of snapshot: MetricsSnapshot) -> [MetricFamily] {
        Self.process(snapshot) + Self.people(snapshot) + Self.messages(snapshot) + Self.network(snapshot)
            + Self.store(snapshot) + Self.disk(snapshot) + Self.files(snapshot) + Self.services(snapshot)
            + Self.limits(snapshot.limits)
    }

    // MARK: Process and people

    private static func process(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        let process = snapshot.process
        var families: [MetricFamily] = [
            MetricFamily(
                "teahouse_build_info", .gauge, "Version of the server; always 1.",
                [.init(.integer(1), labels: [(name: "version", value: snapshot.version)])]),
            MetricFamily(
                "process_cpu_seconds_total", .counter, "Processor time of the process, user and system, in seconds.",
                [.init(.fraction(process.cpuSeconds))]),
            .gauge("process_resident_memory_bytes", "Resident memory, in bytes.", process.residentBytes),
            .gauge("process_virtual_memory_bytes", "Virtual memory, in bytes.", process.virtualBytes),
            .gauge("process_threads", "Threads of the process.", process.threads),
            .gauge(
                "process_start_time_seconds", "Start of the process, in seconds since 1970.",
                .fraction(process.startSeconds)),
        ]
        if let descriptors = snapshot.slow?.descriptors {
            families += [
                .gauge("process_open_fds", "Open file descriptors.", descriptors.open),
                .gauge("process_max_fds", "Bound of open file descriptors.", descriptors.maximum),
            ]
        }
        return families
    }

    private static func people(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        let broker = snapshot.broker
        var families: [MetricFamily] = [
            .split(
                "teahouse_sessions", .gauge, "Signed-in sessions, by protocol.", by: "protocol",
                broker.protocols.sorted { $0.key < $1.key }.map { ($0.key, Int64($0.value)) }),
            .gauge("teahouse_users_online", "People with at least one session.", Int64(broker.usersOnline)),
            .split(
                "teahouse_sign_ins_total", .counter, "Sign-ins since the start, by result.", by: "result",
                snapshot.signIns.results.map { ($0.word, $0.count) }),
        ]
        if let counts = snapshot.slow?.counts {
            families += [
                .gauge("teahouse_users", "People in the database.", counts.users),
                .gauge("teahouse_conversations", "Conversations in the database, of every kind.", counts.conversations),
                .gauge(
                    "teahouse_messages", "Messages that conversations have had: the sum of their newest sequences.",
                    counts.messages),
                .gauge("teahouse_device_tokens", "Tokens that sign devices in.", counts.tokens),
            ]
        }
        return families
    }

    // MARK: Messages and network

    private static func messages(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        let broker = snapshot.broker
        return [
            .counter(
                "teahouse_messages_published_total", "Messages taken from people and apps, transient ones included.",
                broker.published),
            .counter("teahouse_messages_delivered_total", "Copies handed to sessions.", broker.delivered),
            .counter(
                "teahouse_messages_duplicate_total", "Messages that came again and were answered with the first.",
                broker.duplicates),
            .split(
                "teahouse_messages_refused_total", .counter, "Messages that were not taken, by reason.", by: "reason",
                [("rule", broker.refused), ("rate", broker.rateLimited), ("busy", broker.busy)]),
            .counter(
                "teahouse_commands_not_kept_total", "Commands that reached only who was online, for their rate.",
                broker.commandsNotKept),
            .counter("teahouse_messages_stored_total", "Messages made durable.", snapshot.store.appended),
            .counter(
                "teahouse_messages_transient_total", "Messages passed on without being stored.",
                snapshot.store.transient),
        ]
    }

    private static func network(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        let transport = snapshot.transport
        return [
            .gauge("teahouse_connections", "Open connections, those signing in included.", transport.connections),
            .counter("teahouse_connections_accepted_total", "Connections that were accepted.", transport.accepted),
            .split(
                "teahouse_connections_ended_total", .counter,
                "Connections that ended, by reason; a stalled one did not read.", by: "reason",
                Array(zip(TransportMetrics.words, transport.ended))),
            .counter(
                "teahouse_network_receive_bytes_total", "Bytes from clients, without TLS around them.",
                transport.receivedBytes),
            .counter(
                "teahouse_network_transmit_bytes_total", "Bytes to clients, without TLS around them.",
                transport.sentBytes),
            .gauge("teahouse_outbox_bytes", "Bytes that wait to be sent, of all connections.", transport.outboxBytes),
            .gauge(
                "teahouse_connections_congested", "Connections with more waiting than limits.outbox_bytes.",
                transport.congested),
            MetricFamily(
                "teahouse_certificate_expiry_timestamp_seconds", .gauge,
                "End of a certificate of this server, in seconds since 1970.",
                snapshot.certificates.map {
                    .init(.integer($0.expiresAtSeconds), labels: [(name: "certificate", value: $0.name)])
                }),
        ]
    }

    // MARK: Store and disk

    private static func store(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        let store = snapshot.store
        var doubt: Int64 = 0
        if case .doubted = store.clock { doubt = 1 }
        return [
            .gauge(
                "teahouse_store_read_only", "1 while messages are refused because the disk is full.",
                .flag(store.isReadOnly)),
            .gauge(
                "teahouse_store_failed", "1 once disk or database have failed: nothing is taken any more.",
                .flag(store.hasFailed)),
            .gauge(
                "teahouse_clock_doubted", "1 while the clock is in doubt and nothing is deleted for its age.", doubt),
            Self.histogram(
                "teahouse_store_commit_duration_seconds", "Duration of commits of the database, sync included.",
                snapshot.durations.commits),
            Self.histogram(
                "teahouse_log_sync_duration_seconds",
                "Duration of writing and syncing a group of messages: each acknowledgement waits for one.",
                snapshot.durations.syncs),
            .gauge(
                "teahouse_log_unapplied_records", "Records of the log that the database does not hold yet.",
                store.logRecords),
            .gauge("teahouse_log_unapplied_bytes", "Bytes of these records.", store.logRecordBytes),
            .gauge(
                "teahouse_log_oldest_unapplied_seconds", "Age of the oldest of these records; 0 when there are none.",
                .seconds(microseconds: store.logOldestMilliseconds * 1_000)),
            .gauge("teahouse_log_segments", "Files of the log.", store.logSegments),
            .counter(
                "teahouse_log_applied_records_total", "Records of the log written to the database.",
                store.logRecordsAll),
            .gauge("teahouse_store_wal_bytes", "Bytes of SQLite's write-ahead log in use.", store.logBytes),
            .gauge("teahouse_store_cached_users", "People in the writer's memory.", store.cachedUsers),
            .gauge(
                "teahouse_store_cached_conversations", "Conversations in the writer's memory.",
                store.cachedConversations),
        ]
    }

    private static func histogram(_ name: String, _ help: String, _ counts: DurationCounts) -> MetricFamily {
        var samples = zip(DurationCounts.boundsMicroseconds, counts.below).map { bound, count in
            MetricFamily.Sample(
                .integer(count), suffix: "_bucket",
                labels: [(name: "le", value: String(Double(bound) / 1_000_000))])
        }
        samples.append(.init(.integer(counts.count), suffix: "_bucket", labels: [(name: "le", value: "+Inf")]))
        samples.append(.init(.seconds(microseconds: counts.allMicroseconds), suffix: "_sum"))
        samples.append(.init(.integer(counts.count), suffix: "_count"))
        return MetricFamily(name, .histogram, help, samples)
    }

    private static func disk(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        var free: [MetricFamily.Sample] = []
        var size: [MetricFamily.Sample] = []
        func add(_ disk: String, _ freeBytes: Int64, _ totalBytes: Int64) {
            free.append(.init(.integer(freeBytes), labels: [(name: "disk", value: disk)]))
            size.append(.init(.integer(totalBytes), labels: [(name: "disk", value: disk)]))
        }
        if let room = snapshot.slow?.room { add("data", room.freeBytes, room.totalBytes) }
        if let room = snapshot.slow?.filesRoom { add("files", room.freeBytes, room.totalBytes) }
        var families = [
            MetricFamily(
                "teahouse_disk_free_bytes", .gauge,
                "Free bytes of the disk with the data folder, and of the one that takes new files.", free),
            MetricFamily("teahouse_disk_size_bytes", .gauge, "Bytes of these disks.", size),
        ]
        if let room = snapshot.slow?.filesRoom {
            families.append(
                .gauge(
                    "teahouse_files_stop_free_bytes", "Free bytes below which uploads are refused.",
                    room.stopsBelowBytes))
        }
        if let verify = snapshot.slow?.lastVerify {
            families += [
                .gauge(
                    "teahouse_verify_timestamp_seconds", "Last verification of the data, in seconds since 1970.",
                    .time(milliseconds: verify.atMilliseconds)),
                .gauge("teahouse_verify_findings", "Problems that the last verification found.", verify.findings),
            ]
        }
        if let scrub = snapshot.slow?.lastScrub {
            families += [
                .gauge(
                    "teahouse_scrub_timestamp_seconds",
                    "End of the last reading of the whole database for damage, in seconds since 1970.",
                    .time(milliseconds: scrub.atMilliseconds)),
                .gauge("teahouse_scrub_rows", "Bodies that it compared with their hashes.", scrub.rows),
                .gauge("teahouse_scrub_tables", "Tables that it compared with their indexes.", scrub.tables),
                .gauge("teahouse_scrub_tables_passed_over", "Tables that took too long for that.", scrub.passedOver),
                .gauge("teahouse_scrub_findings", "Faults that it found.", scrub.findings),
            ]
        }
        if let backup = snapshot.slow?.lastBackup {
            families += [
                .gauge(
                    "teahouse_backup_timestamp_seconds",
                    "Moment that the last verified backup is of, in seconds since 1970.",
                    .time(milliseconds: backup.atMilliseconds)),
                .gauge(
                    "teahouse_backup_verified_timestamp_seconds",
                    "When the last verified backup was verified, in seconds since 1970.",
                    .time(milliseconds: backup.verifiedAtMilliseconds)),
                .gauge("teahouse_backup_bytes", "Bytes of all files of the last verified backup.", backup.bytes),
            ]
        }
        return families
    }

    // MARK: Files

    private static func files(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        let transfers = snapshot.transfers
        var families: [MetricFamily] = [
            .split(
                "teahouse_transfers", .gauge, "Uploads and downloads with an open connection.", by: "direction",
                [("upload", transfers.liveUploads), ("download", transfers.liveDownloads)]),
            .split(
                "teahouse_transfer_bytes_total", .counter, "Bytes of files that came and went.", by: "direction",
                [("upload", transfers.uploadedBytes), ("download", transfers.downloadedBytes)]),
            .split(
                "teahouse_transfers_ended_total", .counter, "Uploads and downloads that are over, by result.",
                by: "result",
                [
                    ("succeeded", transfers.succeeded), ("failed", transfers.failed),
                    ("cancelled", transfers.cancelled), ("expired", transfers.expired),
                ]),
            .counter(
                "teahouse_uploads_refused_total", "Uploads and pieces that were refused for want of room.",
                transfers.refusedFull),
            .counter(
                "teahouse_files_collected_total", "Contents that were removed because nothing refers to them.",
                transfers.collectedObjects),
            .counter(
                "teahouse_files_collected_bytes_total", "Bytes on the disk of these contents.",
                transfers.collectedBytes),
            .counter(
                "teahouse_files_checked_total", "Contents that were read again and checked.", transfers.checkedObjects),
        ]
        if let files = snapshot.slow?.files {
            families += [
                .gauge("teahouse_files", "Files of people.", files.files),
                .gauge("teahouse_files_contents", "Contents on the disk: equal files share one.", files.objects),
                .gauge("teahouse_files_plain_bytes", "Bytes of these contents, uncompressed.", files.plainBytes),
                .gauge("teahouse_files_stored_bytes", "Bytes of these contents on the disk.", files.storedBytes),
                .gauge("teahouse_files_unreferenced", "Files that nothing refers to.", files.unreferencedFiles),
                .gauge(
                    "teahouse_files_damaged", "Contents that are damaged or missing on the disk.",
                    files.damagedObjects),
            ]
        }
        return families
    }

    // MARK: Profiles, search, other servers

    private static func services(_ snapshot: MetricsSnapshot) -> [MetricFamily] {
        let (profiles, search) = (snapshot.profiles, snapshot.search)
        var families: [MetricFamily] = [
            .gauge("teahouse_profile_cache_entries", "Profiles in memory.", profiles.entries),
            .gauge("teahouse_profile_cache_bytes", "Bytes of the profiles in memory, about.", profiles.bytes),
            .split(
                "teahouse_profile_lookups_total", .counter, "Look-ups of profiles, by result.", by: "result",
                [("hit", profiles.hits), ("miss", profiles.misses)]),
            .split(
                "teahouse_profile_requests_total", .counter, "Requests to the existing user system, by result.",
                by: "result",
                [
                    ("answered", max(0, profiles.providerRequests - profiles.providerFailures)),
                    ("failed", profiles.providerFailures),
                ]),
            .gauge("teahouse_search_documents", "Messages in the search index.", search.documents),
            .gauge("teahouse_search_waiting", "Messages that wait to be put into the search index.", search.waiting),
            .gauge("teahouse_search_bytes", "Bytes of the search index.", search.bytes),
            .gauge(
                "teahouse_search_ready", "1 while the search index is as far as the messages.",
                .flag(search.state == .ready)),
            .counter("teahouse_searches_total", "Searches.", search.searches),
        ]
        if let hooks = snapshot.outbound.hooks {
            families += [
                .gauge("teahouse_hook_events_waiting", "Events that wait for the business server.", hooks.waiting),
                .gauge("teahouse_hook_oldest_seconds", "Age of the oldest of them.", hooks.oldestSeconds),
                .counter("teahouse_hook_events_delivered_total", "Events that it took.", hooks.delivered),
                .counter("teahouse_hook_failures_total", "Requests that it did not take.", hooks.failures),
                .counter("teahouse_hook_events_dropped_total", "Events that were given up.", hooks.dropped),
            ]
        }
        let functions = snapshot.outbound.functions
        if !functions.isEmpty {
            families += [
                .split(
                    "teahouse_function_calls_total", .counter, "Calls of an app's cloud functions.", by: "function",
                    functions.map { ($0.function, $0.calls) }),
                .split(
                    "teahouse_function_failures_total", .counter, "Calls without a usable answer.", by: "function",
                    functions.map { ($0.function, $0.failures) }),
                .counter(
                    "teahouse_function_news_dropped_total", "News for cloud functions that were dropped.",
                    snapshot.outbound.functionsDropped),
            ]
        }
        return families
    }

    // MARK: Limits

    private static func limits(_ limits: [LimitReading]) -> [MetricFamily] {
        func family(
            _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: (LimitReading) -> Int64
        ) -> MetricFamily {
            MetricFamily(
                name, kind, help,
                limits.map { limit in
                    .init(
                        .integer(value(limit)),
                        labels: [(name: "limit", value: limit.name), (name: "unit", value: limit.unit)])
                })
        }
        return [
            family("teahouse_limit_used", .gauge, "Use of a limit now, in its unit.") { $0.current },
            family("teahouse_limit_peak", .gauge, "Highest use of a limit since the start, in its unit.") { $0.peak },
            family("teahouse_limit_maximum", .gauge, "Bound of a limit, in its unit.") { $0.maximum },
            family("teahouse_limit_refusals_total", .counter, "Times that a limit refused something.") { $0.refusals },
        ]
    }
}
