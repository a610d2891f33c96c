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
  ["a time that is negative", { headersTimeout: -1 }, /`headersTimeout` of serve cannot be -1/u],
  ["a time with a fraction", { requestTimeout: 1.5 }, /`requestTimeout` of serve cannot be 1\.5/u],
  ["a time that is a text", { keepAliveTimeout: "5s" }, /`keepAliveTimeout` of serve cannot be "5s"/u],
  ["a time beyond timers", { slowReaderTimeout: 2 ** 31 }, /`slowReaderTimeout` of serve cannot be 2147483648/u],
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
