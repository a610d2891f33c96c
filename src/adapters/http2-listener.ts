import type { ODataResponse } from "../http/odata-response.ts";
import type { RequestHandler } from "./hosted-services.ts";
import { Http2Request } from "./http2-request.ts";
import { sendHttp2Response } from "./http2-response.ts";
import type { StreamListener } from "./http2-sessions.ts";
import { malformedResponse } from "./node-client-error.ts";

/** Node.js passes each other byte on as one character, which would not be the one that the client means. */
const ASCII = /^[\x21-\x7e]*$/;

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
    const answer = ASCII.test(odata.target) ? services.handle(odata) : malformedResponse();
    if (answer instanceof Promise) void answer.then(send);
    else send(answer);
  };
}
