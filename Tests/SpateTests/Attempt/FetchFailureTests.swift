import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHosts
import Testing

@testable import Spate

@Suite struct FetchFailureTests {
    @Test(
        arguments: [
            (429, nil, true), (429, 2, true), (503, 2, true), (503, nil, false), (500, 2, nil), (404, nil, nil),
        ] as [(Int, Int64?, Bool?)]
    )
    func onlyA503WithoutATimeIsOfItsURLAlone(status: Int, retryAfter: Int64?, isOfHost: Bool?) throws {
        let fault = ResponseFault(.status(status), retryAfter: retryAfter)
        let address = try HTTPURL("http://h/f")
        let refusal = HostRestraint.Refusal(fault, at: address, wait: retryAfter.map { .seconds($0) })
        #expect(refusal?.isOfHost == isOfHost)
    }
}
