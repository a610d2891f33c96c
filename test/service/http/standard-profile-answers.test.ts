import { afterAll, describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, JSON_HEADERS, type Send, XML_HEADERS } from "./doors.ts";
import { context, peopleByHandlers, peopleByTable, type Profile } from "./profile-model.ts";

const opened: Array<{ readonly close: () => Promise<void> }> = [];
afterAll(async () => {
  await Promise.all(opened.map(async (service) => service.close()));
});

const FORMS = [
  ["handlers", async (profile: Profile) => Promise.resolve(peopleByHandlers(profile))],
  [
    "a table",
    async (profile: Profile) => {
      const service = await peopleByTable(profile);
      opened.push(service);
      return service;
    },
  ],
] as const;

const JSON_BODY = { "Content-Type": "application/json" };
const HOME = { Street: "Via 1", City: "Rome", Zip: 7 };
const ANN = { Id: 1, Name: "Ann", Nick: null, Home: HOME, Tags: ["a"], BestId: 2 };
const BEN = { Id: 2, Name: "Ben", Nick: "B", Home: null, Tags: [], BestId: null };

eachDoor((door) => {
  describe.each(FORMS)("the two profiles side by side, over %s", (_, make) => {
    const open = async (profile: Profile): Promise<Send> => door.to(await make(profile));

    test("a complex property is an object of its members, which by default is in `value`", async () => {
      const answer = await (await open("standard"))("/p/People(1)/Home");
      expectAnswer(answer, { body: { ...context("#People(1)/Home"), ...HOME } });
      expect(Object.keys(answer.json)[0]).toBe("@odata.context");
      expectAnswer(await (await open("specification"))("/p/People(1)/Home"), {
        body: { ...context("#People(1)/Home"), value: HOME },
      });
    });

    test("with odata.metadata=none and full", async () => {
      const send = await open("standard");
      const none = { Accept: "application/json;odata.metadata=none" };
      expect((await send("/p/People(1)/Home", none)).json).toEqual(HOME);
      const full = { Accept: "application/json;odata.metadata=full" };
      const { text, json } = await send("/p/People(1)/Home", full);
      expect(text.startsWith('{"@odata.context":')).toBe(true);
      expect(json).toMatchObject({ "@odata.type": "#Net.Home", ...HOME });
    });

    test("primitive properties and collections are in `value` in both profiles, and null is 204", async () => {
      for (const profile of ["standard", "specification"] as const) {
        const send = await open(profile);
        expectAnswer(await send("/p/People(1)/Name"), { body: { ...context("#People(1)/Name"), value: "Ann" } });
        expectAnswer(await send("/p/People(1)/Tags"), { body: { ...context("#People(1)/Tags"), value: ["a"] } });
        expectAnswer(await send("/p/People(2)/Home"), { status: 204, headers: EMPTY_HEADERS, body: "" });
      }
    });

    test("/$value of null is 204, by default 404; a missing entity is 404", async () => {
      const [standard, specified] = [await open("standard"), await open("specification")];
      expectAnswer(await standard("/p/People(1)/Nick/$value"), { status: 204, headers: EMPTY_HEADERS, body: "" });
      expectError(await specified("/p/People(1)/Nick/$value"), { status: 404, code: "NotFound" });
      expectError(await standard("/p/People(9)/Nick/$value"), { status: 404, code: "NotFound" });
    });

    test("PUT of a complex property takes its members, by default value", async () => {
      const bare = JSON.stringify({ "@odata.context": "x", "@odata.type": "#Net.Home", Street: "Weg 2", City: "Ulm" });
      const wrapped = JSON.stringify({ value: { Street: "Weg 2", City: "Ulm" } });
      const cases = [
        ["standard", bare, wrapped, "Home/value"],
        ["specification", wrapped, bare, "value"],
      ] as const;
      for (const [profile, right, wrong, target] of cases) {
        const send = await open(profile);
        expect((await send("/p/People(1)/Home", JSON_BODY, "PUT", right)).status).toBe(204);
        expect((await send("/p/People(1)")).json.Home).toEqual({ Street: "Weg 2", City: "Ulm", Zip: null });
        const refused = await send("/p/People(1)/Home", JSON_BODY, "PUT", wrong);
        expectError(refused, { status: 400, code: "InvalidBody", target });
        for (const body of ["null", "[]", '"x"']) {
          expect((await send("/p/People(1)/Home", JSON_BODY, "PUT", body)).json.error.code).toBe("InvalidBody");
        }
      }
    });

    test("PATCH of a complex property changes the members of its body, by default it is 400", async () => {
      const [standard, specified] = [await open("standard"), await open("specification")];
      const change = (send: Send, path: string, body: unknown, headers = {}) =>
        send(`/p/People${path}`, { ...JSON_BODY, ...headers }, "PATCH", JSON.stringify(body));
      const done = await change(standard, "(1)/Home", { "@odata.type": "#Net.Home", City: "Ulm" });
      expectAnswer(done, { status: 204, headers: EMPTY_HEADERS, body: "" });
      expect((await standard("/p/People(1)/Home")).json).toMatchObject({ ...HOME, City: "Ulm" });
      expect((await change(standard, "(1)/Home", { Zip: null })).status).toBe(204);
      expect((await change(standard, "(1)/Home", {})).status).toBe(204);
      expect((await standard("/p/People(1)/Home")).json).toMatchObject({ ...HOME, City: "Ulm", Zip: null });
      // A value that was null needs all that may not be absent.
      const partial = await change(standard, "(2)/Home", { City: "Bonn" });
      expect([partial.status, partial.json.error.target]).toEqual([400, "Home/Street"]);
      expect((await change(standard, "(2)/Home", { Street: "Gasse 3" })).status).toBe(204);
      expect((await standard("/p/People(2)/Home")).json).toMatchObject({ Street: "Gasse 3", City: null, Zip: null });
      const cases = [
        ["(1)/Home", { Town: "x" }, "InvalidBody", "Home/Town"],
        ["(1)/Home", { Zip: "x" }, "InvalidBody", "Home/Zip"],
        ["(1)/Home", { Street: null }, "NullNotAllowed", "Home/Street"],
        ["(1)/Tags", { value: [] }, "NotSupported", "Tags"],
      ] as const;
      for (const [path, body, code, target] of cases) {
        expectError(await change(standard, path, body), { status: 400, code, target });
      }
      for (const body of [null, [], "x"]) {
        expectError(await change(standard, "(1)/Home", body), { status: 400, code: "InvalidBody" });
      }
      expectError(await change(standard, "(9)/Home", { City: "Ulm" }), { status: 404, code: "NotFound" });
      for (const body of [{ City: "Ulm" }, { value: { City: "Ulm" } }]) {
        const refused = await change(specified, "(1)/Home", body);
        expectError(refused, { status: 400, code: "NotSupported", target: "Home" });
      }
    });

    test("key members of PUT and PATCH are ignored, by default they must match", async () => {
      const [standard, specified] = [await open("standard"), await open("specification")];
      for (const id of [9, "what", null]) {
        const patched = await standard("/p/People(1)", JSON_BODY, "PATCH", JSON.stringify({ Id: id, Name: "Eve" }));
        expectAnswer(patched, { body: expect.objectContaining({ Id: 1, Name: "Eve" }) as unknown });
        const put = await standard("/p/People(1)", JSON_BODY, "PUT", JSON.stringify({ ...ANN, Id: id }));
        expectAnswer(put, { body: expect.objectContaining(ANN) as unknown });
      }
      expectError(await standard("/p/People(9)"), { status: 404, code: "NotFound" });
      for (const method of ["PUT", "PATCH"]) {
        const other = await specified("/p/People(1)", JSON_BODY, method, JSON.stringify({ ...ANN, Id: 9 }));
        expectError(other, { status: 400, code: "KeyMismatch", target: "key" });
      }
    });

    test("a navigation has the context of its target set, by default of its path", async () => {
      const [standard, specified] = [await open("standard"), await open("specification")];
      const id = { "@odata.id": "http://service.example/p/People(2)" };
      const one = async (send: Send, path: string) => (await send(path)).json as unknown;
      expect(await one(standard, "/p/People(1)/Best")).toEqual({ ...context("#People/$entity"), ...id, ...BEN });
      expect(await one(specified, "/p/People(1)/Best")).toEqual({
        ...context("#People(1)/Best/$entity"),
        ...id,
        ...BEN,
      });
      const selected = "/p/People(2)/Fans?$select=Name";
      expect(await one(standard, selected)).toEqual({
        ...context("#People(Name)"),
        value: [{ "@odata.id": "http://service.example/p/People(1)", Name: "Ann" }],
      });
      expect(await one(specified, selected)).toEqual({
        ...context("#People(2)/Fans(Name)"),
        value: [{ "@odata.id": "http://service.example/p/People(1)", Name: "Ann" }],
      });
      expect(await one(standard, "/p/People(2)/Fans(1)?$select=Name")).toMatchObject(context("#People(Name)/$entity"));
      expect(await one(standard, "/p/People(2)/Fans/$ref")).toMatchObject(context("#Collection($ref)"));
    });

    test("a navigation that is null is 204, by default 404; a missing parent is 404", async () => {
      const [standard, specified] = [await open("standard"), await open("specification")];
      for (const path of ["Best", "Best/$ref"]) {
        expectAnswer(await standard(`/p/People(2)/${path}`), { status: 204, headers: EMPTY_HEADERS, body: "" });
        expectError(await specified(`/p/People(2)/${path}`), { status: 404, code: "NotFound" });
        expectError(await standard(`/p/People(9)/${path}`), { status: 404, code: "NotFound" });
      }
      expectError(await standard("/p/People(2)/Fans(2)"), { status: 404, code: "NotFound" });
    });

    test("nested entities that would be ignored are 501, by default they are ignored", async () => {
      const cyd = { Id: 3, Name: "Cyd", Tags: [], Nick: null, Home: null, BestId: null };
      const [standard, specified] = [await open("standard"), await open("specification")];
      for (const nested of [{ Best: BEN }, { Fans: [ANN] }]) {
        const body = JSON.stringify({ ...cyd, ...nested });
        const [target] = Object.keys(nested);
        const refused = await standard("/p/People", JSON_BODY, "POST", body);
        expectError(refused, { status: 501, code: "NotImplemented", target: target! });
      }
      expectError(await standard("/p/People(3)"), { status: 404, code: "NotFound" });
      const nothing = await standard("/p/People", JSON_BODY, "POST", JSON.stringify({ ...cyd, Best: null, Fans: [] }));
      expect([nothing.status, nothing.json]).toMatchObject([201, cyd]);
      const ignored = await specified("/p/People", JSON_BODY, "POST", JSON.stringify({ ...cyd, Best: BEN }));
      expect([ignored.status, ignored.json]).toMatchObject([201, cyd]);
    });

    test("nested lists in PATCH and PUT are 501, and change nothing; nested entities are ignored", async () => {
      const [standard, specified] = [await open("standard"), await open("specification")];
      const before = await standard("/p/People(2)");
      for (const method of ["PATCH", "PUT"]) {
        const body = JSON.stringify({ ...BEN, Name: "Bea", Fans: [ANN] });
        const refused = await standard("/p/People(2)", JSON_BODY, method, body);
        expectError(refused, { status: 501, code: "NotImplemented", target: "Fans" });
        expect(refused.json).toMatchObject({
          error: {
            message: "PUT and PATCH do not change the entities of 'Fans': change them with separate requests.",
          },
        });
      }
      expect((await standard("/p/People(2)")).text).toBe(before.text);
      for (const [send, nested] of [
        [standard, { Best: ANN, Fans: [] }],
        [standard, { Best: null, Fans: null }],
        [specified, { Fans: [ANN] }],
      ] as const) {
        const ignored = await send("/p/People(2)", JSON_BODY, "PATCH", JSON.stringify({ Name: "Bea", ...nested }));
        expect([ignored.status, ignored.json]).toMatchObject([200, { Id: 2, Name: "Bea" }]);
      }
    });

    test("the service document lists sets and parameterless functions, by default every import", async () => {
      const sets = ["EntitySet People", ...(_ === "handlers" ? ["EntitySet Locked"] : [])];
      const list = async (profile: Profile) => {
        const { json } = await (await open(profile))("/p/");
        return (json.value as ReadonlyArray<{ kind: string; name: string }>).map(({ kind, name }) => `${kind} ${name}`);
      };
      const plain = ["version", "everyone", "listed", "first"].map((name) => `FunctionImport ${name}`);
      expect((await list("standard")).toSorted()).toEqual([...sets, ...plain].toSorted());
      expect((await list("specification")).toSorted()).toEqual(
        [...sets, ...plain, "FunctionImport greet", "FunctionImport maybe", "ActionImport ping"].toSorted(),
      );
      const [standard, specified] = [await open("standard"), await open("specification")];
      const imports = async (send: Send) =>
        [
          ...(await send("/p/$metadata")).text.matchAll(
            /<FunctionImport Name="(\w+)"[^>]*IncludeInServiceDocument="true"/gu,
          ),
        ].map(([, name]) => name);
      expect(await imports(standard)).toEqual(["version", "everyone", "listed", "first"]);
      expect(await imports(specified)).toEqual(["version", "greet", "maybe", "everyone", "listed", "first"]);
    });

    test("$metadata takes $format=xml, by default it refuses it", async () => {
      const [standard, specified] = [await open("standard"), await open("specification")];
      for (const format of ["xml", "application/xml", "application/xml;charset=utf-8"]) {
        const answer = await standard(`/p/$metadata?$format=${encodeURIComponent(format)}`);
        expect({ status: answer.status, headers: answer.headers }).toEqual({
          status: 200,
          headers: { ...XML_HEADERS, etag: answer.headers["etag"] },
        });
        expect(answer.text).toContain("<edmx:Edmx");
        const refused = await specified(`/p/$metadata?$format=${encodeURIComponent(format)}`);
        expectError(refused, { status: 400, code: "UnsupportedFormat", target: "$format" });
      }
      expectError(await standard("/p/People?$format=xml"), {
        status: 400,
        code: "UnsupportedFormat",
        target: "$format",
      });
      expectError(await standard("/p/$metadata?$format=atom"), {
        status: 400,
        code: "UnsupportedFormat",
        target: "$format",
      });
    });
  });

  test("without a target set the context names the type, by default the path", async () => {
    const standard = door.to(peopleByHandlers("standard"));
    const specified = door.to(peopleByHandlers("specification"));
    const rex = { Id: 1, Name: "Rex" };
    const of = (fragment: string, body: object) => ({ headers: JSON_HEADERS, body: { ...context(fragment), ...body } });
    expectAnswer(await standard("/p/People(1)/Pets"), of("#Collection(Net.Pet)", { value: [rex] }));
    expectAnswer(await specified("/p/People(1)/Pets"), of("#People(1)/Pets", { value: [rex] }));
    expectAnswer(await standard("/p/People(1)/Pet?$select=Name"), of("#Net.Pet(Name)", { Name: "Rex" }));
    const created = async (send: Send) => {
      const answer = await send("/p/People(1)/Pets", JSON_BODY, "POST", JSON.stringify(rex));
      return [answer.status, answer.json] as const;
    };
    expect(await created(standard)).toEqual([201, { ...context("#Net.Pet"), ...rex }]);
    expect(await created(specified)).toEqual([201, { ...context("#People(1)/Pets/$entity"), ...rex }]);
    expectAnswer(await specified("/p/People(1)/Pet?$select=Name"), of("#People(1)/Pet(Name)/$entity", { Name: "Rex" }));
  });
});
