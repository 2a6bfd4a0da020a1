import Glibc
import HatoTesting
import Testing

@testable import EventLoops

@Suite("Waiting threads")
struct WaitingThreadTests {
    @Test("async work runs on the thread that waits, whoever resumes it, to its end")
    func runsHere() throws {
        let answers = try Mailbox<(isSame: Bool, sum: Int)>()
        let pool = try WorkerPool(name: "other", threads: 1, queueLimit: 10)
        let thread = try SystemThread(name: "waiting") {
            let waiting = pthread_self()
            let answer = WaitingThread.result { () -> (Bool, Int) in
                var sum = 0
                var isSame = pthread_self() == waiting
                for _ in 0..<100 {
                    sum += (try? await pool.run { _ in 2 }) ?? 0
                    isSame = isSame && pthread_self() == waiting
                }
                return (isSame, sum)
            }
            answers.put((answer?.0 == true, answer?.1 ?? 0))
        }
        let answer = try answers.next()
        #expect(answer.isSame)
        #expect(answer.sum == 200)
        thread.join()
        pool.close()
    }
}
