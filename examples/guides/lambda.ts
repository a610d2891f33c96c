import { Buffer } from "node:buffer";
import { odataService } from "odatakit";

const shop = odataService({ prefix: "/odata", entitySets: [] });

interface HttpEvent {
  rawPath: string;
  rawQueryString: string;
  headers: Record<string, string>;
  cookies?: string[];
  body?: string;
  isBase64Encoded: boolean;
  requestContext: { domainName: string; http: { method: string } };
}

export async function handler(event: HttpEvent) {
  const { rawPath, rawQueryString, cookies = [], body = "", requestContext } = event;
  const headers = new Headers(event.headers);
  if (cookies.length > 0) headers.set("Cookie", cookies.join("; "));
  const query = rawQueryString === "" ? "" : `?${rawQueryString}`;
  const { method } = requestContext.http;
  const hasBody = method !== "GET" && method !== "HEAD" && body !== "";
  const request = new Request(`https://${requestContext.domainName}${rawPath}${query}`, {
    method,
    headers,
    body: hasBody ? Buffer.from(body, event.isBase64Encoded ? "base64" : "utf8") : null,
  });
  const response = await shop.fetch(request, event);
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()).toString("base64"),
    isBase64Encoded: true,
  };
}
