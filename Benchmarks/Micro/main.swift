import Glibc

/// `MicroBenchmarks` lists the operations and how often each is repeated; `MicroBenchmarks NAME COUNT`
/// repeats one so often and does nothing else.
///
/// Exit code 1: a result was wrong; 2: wrong usage.
private func run(_ arguments: [String]) -> Int32 {
    guard !arguments.isEmpty else {
        for benchmark in MicroBenchmark.all { print(benchmark.name, benchmark.iterations) }
        return 0
    }
    guard arguments.count == 2, let count = Int(arguments[1]), count > 0,
        let benchmark = MicroBenchmark.all.first(where: { $0.name == arguments[0] })
    else {
        print("usage: MicroBenchmarks [NAME COUNT]")
        return 2
    }
    guard let sum = benchmark.run(count) else {
        print("\(benchmark.name): a result is wrong")
        return 1
    }
    print(benchmark.name, sum)
    return 0
}

exit(run(Array(CommandLine.arguments.dropFirst())))
