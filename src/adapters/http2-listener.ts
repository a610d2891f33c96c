import type { ODataResponse } from "../http/odata-response.ts";
import type { RequestHandler } from "./hosted-services.ts";
import { Http2Request } from "./http2-request.ts";
import { sendHttp2Response } from "./http2-response.ts";
import type { StreamListener } from "./http2-sessions.ts";

/** Creates a listener for the requests of HTTP/2, over the services of a server. */
export function toStreamListener(services: RequestHandler): StreamListener {
  return (stream, headers, hostRequest) => {
    const odata = new Http2Request(stream, headers, hostRequest);
    const send = (answer: ODataResponse): void => {
      const fail = (error: unknown): void => {
        stream.destroy();
        services.reportFailure(odata, answer, error);
      };
      try {
        const sent = sendHttp2Response(answer, stream);
        if (sent !== undefined) sent.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    const answer = services.handle(odata);
    if (answer instanceof Promise) void answer.then(send);
    else send(answer);
  };
}
