import { edm, entitySet, entityType, action, hasMany, hasOptional, odataService } from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError, type HeaderTable, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";

const Page = entityType("Page", { id: edm.int32().key(), text: edm.string(), version: edm.int32().computed() });
interface Settings {
  readonly etag?: false;
  readonly allowUpsert?: true;
  readonly blind?: true;
}

/** Calls of the handlers that write. */
const calls: string[] = [];

function pages(profile: "specification" | "standard", { etag, allowUpsert, blind }: Settings = {}): Service {
  const page = { id: 1, text: "a", version: 3 };
  const note = <T>(name: string, result: T): T => {
    calls.push(name);
    return result;
  };
  return odataService({
    profile,
    logger: noFailures,
    entitySets: [
      entitySet(Page, {
        ...(etag === false ? {} : { etag: ["version"] }),
        allowUpsert: allowUpsert ?? false,
        ...(blind === true ? {} : { getByKey: (id: number) => (id === 1 ? page : null) }),
        create: (body) => note("create", { ...body, version: 1 }),
        patch: (id, delta) => note("patch", id === 1 ? { ...page, ...delta } : null),
        replace: (id, body) => note("replace", id === 1 ? { ...page, ...body } : null),
        delete: (id) => note("delete", id === 1),
        navigation: {
          next: hasOptional(Page, {
            target: "Pages",
            setRef: () => note("setRef", undefined),
            removeRef: () => note("removeRef", undefined),
          }),
          links: hasMany(Page, {
            target: "Pages",
            addRef: () => note("addRef", undefined),
            create: (_key, child) => note("add", { ...child, version: 1 }),
          }),
        },
        actions: { touch: action({ bound: "entity", handler: (_key) => note("touch", undefined) }) },
      }),
    ],
  });
}

const REFERENCE = JSON.stringify({ "@odata.id": "Pages(1)" });
const BODY = '{"Text":"x"}';
/** Writes of an entity and below it, which evaluate every If-None-Match in both profiles. */
const WRITES = [
  ["PATCH", "Pages(1)", BODY, 200],
  ["DELETE", "Pages(1)", undefined, 204],
  ["PUT", "Pages(1)/Text", '{"value":"x"}', 204],
  ["PATCH", "Pages(1)/Text", '{"value":"x"}', 204],
  ["POST", "Pages(1)/Links/$ref", REFERENCE, 204],
  ["PUT", "Pages(1)/Next/$ref", REFERENCE, 204],
  ["DELETE", "Pages(1)/Next/$ref", undefined, 204],
  ["POST", "Pages(1)/Links", '{"Id":5,"Text":"x"}', 201],
  ["POST", "Pages(1)/touch", undefined, 204],
] as const;

eachDoor((door) => {
  const send = (service: Service, method: string, path: string, headers: HeaderTable, body?: string) => {
    calls.length = 0;
    return door.to(service)(
      `/${path}`,
      body === undefined ? headers : { "Content-Type": "application/json", ...headers },
      method,
      body,
    );
  };
  const fails = { status: 412, code: "PreconditionFailed", message: /^If-None-Match does not hold/u };

  describe.each(["specification", "standard"] as const)("If-None-Match in the %s profile", (profile) => {
    const service = pages(profile);
    const tagOf = async () => (await door.to(service)("/Pages(1)")).headers["etag"] ?? "";

    test.each(WRITES)("holds back %s %s when it matches", async (method, path, body, status) => {
      const etag = await tagOf();
      for (const tags of [etag, `W/${etag}`, `"other", ${etag}`]) {
        expectError(await send(service, method, path, { "If-None-Match": tags }, body), {
          ...fails,
          message: "If-None-Match does not hold. The entity has one of these ETags.",
        });
        expect(calls).toEqual([]);
      }
      expectError(await send(service, method, path, { "If-None-Match": "*" }, body), {
        ...fails,
        message: "If-None-Match does not hold. There is an entity with this key already.",
      });
      expect(calls).toEqual([]);
      expect((await send(service, method, path, { "If-None-Match": '"other"' }, body)).status).toBe(status);
      expect(calls).toHaveLength(1);
    });

    test("is checked after If-Match", async () => {
      const etag = await tagOf();
      const both = (match: string, noneMatch: string) =>
        send(service, "PATCH", "Pages(1)", { "If-Match": match, "If-None-Match": noneMatch }, BODY);
      expectError(await both('"other"', etag), { ...fails, message: /^If-Match does not hold/u });
      expectError(await both(etag, etag), fails);
      expect((await both(etag, '"other"')).status).toBe(200);
    });

    test("a missing entity has no tag: it is 404, and no handler writes", async () => {
      for (const tags of ["*", '"other"']) {
        expectError(await send(service, "PATCH", "Pages(9)", { "If-None-Match": tags }, BODY), {
          status: 404,
          code: "NotFound",
        });
        expect((await send(service, "DELETE", "Pages(9)", { "If-None-Match": tags })).status).toBe(204);
        expect(calls).toEqual([]);
      }
    });

    test("a set without an ETag matches no tag; a set that is not read by key checks nothing", async () => {
      const untagged = pages(profile, { etag: false });
      expect((await send(untagged, "PATCH", "Pages(1)", { "If-None-Match": '"x"' }, BODY)).status).toBe(200);
      expectError(await send(untagged, "PATCH", "Pages(1)", { "If-None-Match": "*" }, BODY), fails);
      const blind = pages(profile, { blind: true });
      expect((await send(blind, "PATCH", "Pages(1)", { "If-None-Match": "*" }, BODY)).status).toBe(200);
    });

    test("of PUT: by the specification `*` alone, and where it may create; by the standard like any other", async () => {
      const etag = await tagOf();
      const put = async (settings: Settings, tags: string, id: number) =>
        (await send(pages(profile, settings), "PUT", `Pages(${String(id)})`, { "If-None-Match": tags }, BODY)).status;
      const upsert: Settings = { allowUpsert: true };
      const isStandard = profile === "standard";
      expect(await put({}, etag, 1)).toBe(isStandard ? 412 : 200);
      expect(await put({}, "*", 1)).toBe(isStandard ? 412 : 200);
      expect(await put({}, '"other"', 1)).toBe(200);
      expect(await put({}, "*", 9)).toBe(404);
      expect(await put(upsert, etag, 1)).toBe(isStandard ? 412 : 200);
      expect(await put(upsert, "*", 1)).toBe(412);
      expect(await put(upsert, "*", 9)).toBe(201);
      expect(await put(upsert, '"other"', 9)).toBe(201);
    });

    test("is described where it works", () => {
      const described = (settings: Settings, method: string): readonly unknown[] => {
        const { paths } = openApiDocument(pages(profile, settings)) as unknown as {
          readonly paths: Readonly<
            Record<string, Readonly<Record<string, { readonly parameters?: ReadonlyArray<{ readonly name: string }> }>>>
          >;
        };
        const names = paths["/Pages({Id})"]?.[method]?.parameters?.map(({ name }) => name) ?? [];
        return names.filter((name) => name.startsWith("If-"));
      };
      const both = ["If-Match", "If-None-Match"];
      expect(described({}, "patch")).toEqual(both);
      expect(described({}, "delete")).toEqual(both);
      expect(described({}, "put")).toEqual(profile === "standard" ? both : ["If-Match"]);
      expect(described({ allowUpsert: true }, "put")).toEqual(both);
      for (const method of ["patch", "put", "delete"]) expect(described({ blind: true }, method)).toEqual([]);
    });
  });

  test("a write in between is 412: the write requires the version that was checked", async () => {
    const expected: unknown[] = [];
    const page = { id: 1, text: "a", version: 3 };
    const service = odataService({
      logger: noFailures,
      entitySets: [
        entitySet(Page, {
          etag: ["version"],
          getByKey: () => page,
          patch: (_id, _delta, ctx) => {
            expected.push(ctx.expected);
            return null;
          },
        }),
      ],
    });
    expectError(await send(service, "PATCH", "Pages(1)", { "If-None-Match": '"x"' }, BODY), {
      ...fails,
      message: "If-None-Match does not hold. The entity changed during the request: send the request again.",
    });
    expect(expected).toEqual([{ version: 3 }]);
  });
});
