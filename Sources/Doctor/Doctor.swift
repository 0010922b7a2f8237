import CLinux
import Glibc

/// Looks at everything around the server that can go wrong, and changes nothing. Takes well under a second on a healthy
/// disk; the server may run meanwhile.
package func runDoctor(_ input: DoctorInput) -> [Finding] {
    let admin = AdminSocketCheck(folder: input.dataFolder, answers: input.serverAnswers).run()
    var findings = checkDataFolder(input.dataFolder, runningAs: geteuid())
    findings += checkRoom(input.dataFolder, stopsBelow: input.stopWritingFreeBytes, lowBelow: input.lowFreeBytes)
    findings += checkRoomForecast(
        RoomHistory.read(in: input.dataFolder), stopsBelow: input.stopWritingFreeBytes,
        now: input.clock.wallMilliseconds())
    findings += checkFileSystem(input.dataFolder)
    findings += checkSync(input.dataFolder)
    findings += checkFilesFolder(input.dataFolder + "/files")
    if let directory = input.filesDirectory { findings.append(checkFilesDirectory(directory)) }
    findings += checkFilesRoom(
        input.filesDirectory ?? input.dataFolder, stopsBelow: input.filesStopFreeBytes,
        percent: input.filesStopFreePercent)
    findings += checkDatabase(input.dataFolder)
    findings.append(checkLastVerify(input.lastVerify, now: input.clock.wallMilliseconds()))
    findings.append(checkLastBackup(input.lastBackup, now: input.clock.wallMilliseconds()))
    if let last = input.lastScrub { findings.append(checkLastScrub(last, now: input.clock.wallMilliseconds())) }
    if let copies = input.upgradeCopies {
        findings.append(checkUpgradeCopies(copies, now: input.clock.wallMilliseconds()))
    }
    findings.append(sqliteNote())
    findings.append(admin.finding)
    if !admin.isRunning { findings += input.listeners.map(checkListener) }
    findings += input.tlsFiles.map(checkTLSFile)
    findings += input.certificates.map { checkCertificate($0, now: input.clock.wallMilliseconds()) }
    if let file = input.configurationFile { findings.append(checkConfigurationFile(file)) }
    findings.append(checkPlainTokens(input.takesPlainTokens))
    findings.append(checkPlainPasswords(input.takesPlainPasswords))
    findings.append(checkTrial(input.runsTrial))
    findings.append(checkOpenFiles(connections: input.connections, limit: openFileLimit()))
    findings += checkBacklog(smallFile("/proc/sys/net/core/somaxconn"))
    findings += checkSandbox(input.serverProcess.flatMap { smallFile("/proc/\($0)/status") })
    findings += checkConfinement(input.landlockVersion)
    findings.append(checkClock(input.clock))
    findings += checkClockAgainstData(input.dataFolder, now: input.clock.wallMilliseconds())
    findings += checkSynchronisation(clinux_clock_is_synchronised())
    if let meminfo = smallFile("/proc/meminfo") { findings += checkMemory(meminfo) }
    return findings
}
