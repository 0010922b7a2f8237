import BenchKit
import Glibc

@main struct TeahouseBench {
    static func main() { exit(Bench.main(Array(CommandLine.arguments.dropFirst()))) }
}
