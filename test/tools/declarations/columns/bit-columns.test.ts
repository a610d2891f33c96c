import { sql } from "kysely";
import { odataService, type ODataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../../engine/executors/engines.ts";
import { noFailures } from "../../../service/http/model.ts";

const send = async (
  service: ODataService,
  method: string,
  path: string,
  body?: object,
): Promise<readonly unknown[]> => {
  const headers = { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await service.fetch(new Request(`http://x/${encodeURI(path)}`, init));
  const text = await response.text();
  return [response.status, text === "" ? null : (JSON.parse(text) as unknown)];
};

describe.each(ENGINES.filter(({ name }) => name !== "sqlite"))("columns of bits, over $title", ({ name, open }) => {
  test("are written, compared and keys", async () => {
    const { db, close } = await open();
    try {
      const [five, nine, wrong, key] = name === "mariadb" ? [5, 9, 16, "5"] : ["0101", "1001", "10000", "'0101'"];
      await sql`create table masks (id bit(4) not null primary key, bits bit(4), last bit(1) not null)`.execute(db);
      const { entitySets } = await introspectDatabase(db, {
        operations: () => ["read", "create", "patch", "replace", "delete"],
        include: ["masks"],
      });
      const service = odataService({ logger: noFailures, entitySets });
      const last = name === "mariadb" ? true : "1";
      const row = { Id: five, Bits: nine, Last: last };
      expect(await send(service, "POST", "Masks", row)).toEqual([201, row]);
      expect(await send(service, "GET", `Masks(${key})`)).toEqual([200, row]);
      const text = typeof nine === "string" ? `'${nine}'` : String(nine);
      expect(await send(service, "GET", `Masks?$filter=Bits eq ${text} and Id eq ${key}`)).toEqual([
        200,
        { value: [row] },
      ]);
      expect(await send(service, "GET", `Masks?$filter=Bits ne ${text}&$orderby=Bits desc`)).toEqual([
        200,
        { value: [] },
      ]);
      expect(await send(service, "PATCH", `Masks(${key})`, { Bits: five })).toEqual([200, { ...row, Bits: five }]);
      expect((await send(service, "PATCH", `Masks(${key})`, { Bits: wrong }))[0]).toBe(400);
      expect(await send(service, "PUT", `Masks(${key})`, { ...row, Bits: null })).toEqual([
        200,
        { ...row, Bits: null },
      ]);
      expect(await send(service, "GET", "Masks?$filter=Bits eq null")).toEqual([
        200,
        { value: [{ ...row, Bits: null }] },
      ]);
      expect(await send(service, "DELETE", `Masks(${key})`)).toEqual([204, null]);
      expect(await send(service, "GET", "Masks")).toEqual([200, { value: [] }]);
    } finally {
      await close();
    }
  });

  test.runIf(name === "mariadb")("of 64 bits have numbers beyond an Int64", async () => {
    const { db, close } = await open();
    try {
      await sql`create table wide (id integer not null primary key, bits bit(64))`.execute(db);
      await sql`insert into wide values (1, 0), (2, 9223372036854775808), (3, null)`.execute(db);
      const { entitySets } = await introspectDatabase(db, {
        operations: () => ["read", "create", "patch", "replace", "delete"],
        include: ["wide"],
      });
      const service = odataService({ logger: noFailures, entitySets, profile: "standard" });
      const headers = { "Content-Type": "application/json", Accept: "application/json;odata.metadata=none" };
      const ask = async (method: string, path: string, body?: string): Promise<readonly unknown[]> => {
        const response = await service.fetch(
          new Request(`http://x/${encodeURI(path)}`, { method, headers, ...(body !== undefined && { body }) }),
        );
        return [response.status, await response.text()];
      };
      const all = "18446744073709551615";
      expect(await ask("GET", "Wides?$orderby=Bits desc")).toEqual([
        200,
        '{"value":[{"Id":2,"Bits":9223372036854775808},{"Id":1,"Bits":0},{"Id":3,"Bits":null}]}',
      ]);
      expect(await ask("POST", "Wides", `{"Id":4,"Bits":${all}}`)).toEqual([201, `{"Id":4,"Bits":${all}}`]);
      expect(await ask("GET", `Wides?$filter=Bits eq ${all}&$select=Id`)).toEqual([200, '{"value":[{"Id":4}]}']);
      expect(await ask("GET", "Wides?$filter=Bits gt 9223372036854775807&$select=Id")).toEqual([
        200,
        '{"value":[{"Id":2},{"Id":4}]}',
      ]);
      expect(await ask("PATCH", "Wides(1)", '{"Bits":57}')).toEqual([200, '{"Id":1,"Bits":57}']);
      expect(await ask("PUT", "Wides(1)/Bits", `{"value":${all}}`)).toEqual([204, ""]);
      expect(await ask("GET", "Wides(1)/Bits/$value")).toEqual([200, all]);
      expect((await ask("PATCH", "Wides(1)", '{"Bits":18446744073709551616}'))[0]).toBe(400);
      expect((await ask("PATCH", "Wides(1)", '{"Bits":-1}'))[0]).toBe(400);
      expect(await ask("GET", "Wides?$apply=aggregate(Bits with max as M)")).toEqual([200, `{"value":[{"M":${all}}]}`]);
      const { rows } = await sql<{
        readonly n: string;
      }>`select cast(bits + 0 as char) as n from wide where id = 1`.execute(db);
      expect(rows).toEqual([{ n: all }]);
    } finally {
      await close();
    }
  });
});
