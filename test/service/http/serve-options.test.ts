import { ConfigurationError, odataService } from "odatakit";
import { serve, type ServeOptions } from "odatakit/node";
import { expect, test } from "vitest";

const service = odataService({ entitySets: [] });

test.each<[string, unknown, RegExp]>([
  ["an unknown name", { prot: 1 }, /serve has no option `prot`.*`port`/su],
  ["a port that is none", { port: 70_000 }, /`port` of serve cannot be 70000/u],
  ["a port that is a text", { port: "80" }, /`port` of serve cannot be "80"/u],
  ["a host that is empty", { host: "" }, /`host` of serve cannot be ""/u],
  ["a time of zero", { drainTimeout: 0 }, /`drainTimeout` of serve cannot be 0/u],
  ["a delay that is negative", { drainDelay: -1 }, /`drainDelay` of serve cannot be -1/u],
  ["a delay without an end", { drainDelay: null }, /`drainDelay` of serve cannot be null/u],
  ["a delay beyond timers", { drainDelay: 2 ** 31 }, /`drainDelay` of serve cannot be 2147483648/u],
  ["a time that is negative", { headersTimeout: -1 }, /`headersTimeout` of serve cannot be -1/u],
  ["a time with a fraction", { requestTimeout: 1.5 }, /`requestTimeout` of serve cannot be 1\.5/u],
  ["a time that is a text", { keepAliveTimeout: "5s" }, /`keepAliveTimeout` of serve cannot be "5s"/u],
  ["a time beyond timers", { slowReaderTimeout: 2 ** 31 }, /`slowReaderTimeout` of serve cannot be 2147483648/u],
  ["a compression that is a text", { compression: "gzip" }, /`compression` of serve cannot be "gzip"/u],
  ["tls", { tls: { cert: "cert.pem", key: "key.pem" } }, /serve has no option `tls`.*toNodeHandler/su],
  ["http2", { http2: true }, /serve has no option `http2`.*`node:http2`/su],
  ["an unknown option of compression", { compression: { treshold: 1 } }, /compression has no option `treshold`/u],
  ["a threshold that is negative", { compression: { threshold: -1 } }, /`threshold` of compression cannot be -1/u],
  ["a flag that is a text", { compression: { credentials: "yes" } }, /`credentials` of compression cannot be "yes"/u],
  ["a health check that is no path", { health: "healthz" }, /`health` of serve cannot be "healthz"/u],
  ["a health check with a query", { health: "/healthz?x" }, /`health` of serve cannot be "\/healthz\?x"/u],
  ["a readiness check that is a flag", { ready: true }, /`ready` of serve cannot be true/u],
  ["two checks at one path", { health: "/z", ready: "/z" }, /have the same path/u],
  ["a check that is a resource of the service", { health: "/$metadata" }, /a service has this path/u],
  ["a check at the root of the service", { ready: "/" }, /a service has this path/u],
  ["no object", 3000, /options of serve are 3000/u],
])("%s is a ConfigurationError", async (_what, options, message) => {
  const serving = serve(service, options as ServeOptions);
  await expect(serving).rejects.toBeInstanceOf(ConfigurationError);
  await expect(serving).rejects.toThrow(message);
});

test("undefined means the default, null means no limit", async () => {
  for (const time of [undefined, null, 2 ** 31 - 1]) {
    const server = await serve(service, {
      port: 0,
      host: undefined,
      drainTimeout: time,
      headersTimeout: time,
      requestTimeout: time,
      keepAliveTimeout: time,
      slowReaderTimeout: time,
    });
    expect((await fetch(server.url)).status).toBe(200);
    await server.close();
  }
});
