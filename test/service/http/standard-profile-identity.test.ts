import { edm, entitySet, entityType, fn, hasMany, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import { shopBehind, single, whole } from "./batch-model.ts";
import { eachDoor, EMPTY_HEADERS, expectAnswer, expectError, ORIGIN } from "./doors.ts";
import { noFailures } from "./model.ts";
import { context, PROFILES, peopleByHandlers } from "./profile-model.ts";

const FULL = { Accept: "application/json;odata.metadata=full" };
const JSON_BODY = { "Content-Type": "application/json" };

const Tag = entityType("Tag", { id: edm.int32().key(), label: edm.string() });
const Book = entityType("Book", { id: edm.int32().key() });

/** Links with handlers of the application. */
function books(profile: (typeof PROFILES)[number]) {
  return odataService({
    prefix: "/s",
    profile,
    logger: noFailures,
    functions: { best: fn({ returns: Tag, handler: () => ({ id: 1, label: "a" }) }) },
    entitySets: [
      entitySet(Book, {
        getByKey: (id) => ({ id }),
        navigation: { tags: hasMany(Tag, { target: "Tags", addRef: () => undefined, removeRef: () => undefined }) },
      }),
      entitySet(Tag, { getByKey: (id) => ({ id, label: "x" }) }),
    ],
  });
}

eachDoor((door) => {
  describe("entities without identity", () => {
    test("have the id null with full metadata, by default none", async () => {
      const send = door.to(peopleByHandlers("standard"));
      for (const path of ["first()", "everyone()", "listed()?$select=Name"]) {
        const { json, text } = await send(`/p/${path}`, FULL);
        const entities = (json.value ?? [json]) as ReadonlyArray<Readonly<Record<string, unknown>>>;
        expect(entities.length).toBeGreaterThan(0);
        for (const entity of entities) {
          expect(entity).toMatchObject({ "@odata.type": "#Net.Person", "@odata.id": null });
          expect(entity).not.toHaveProperty("@odata.editLink");
        }
        expect(text.split('"@odata.type":"#Net.Person","@odata.id":null,')).toHaveLength(entities.length + 1);
      }
      const specified = door.to(peopleByHandlers("specification"));
      for (const path of ["first()", "everyone()", "listed()"]) {
        expect((await specified(`/p/${path}`, FULL)).text).not.toContain("@odata.id");
      }
    });

    test("are those of navigations without a target set, too", async () => {
      const send = door.to(peopleByHandlers("standard"));
      expect((await send("/p/People(1)/Pets", FULL)).json.value).toEqual([
        { "@odata.type": "#Net.Pet", "@odata.id": null, "Id@odata.type": "#Int32", Id: 1, Name: "Rex" },
      ]);
      const specified = door.to(peopleByHandlers("specification"));
      expect((await specified("/p/People(1)/Pets", FULL)).text).not.toContain("@odata.id");
    });

    test("have no id with minimal metadata and with none", async () => {
      const send = door.to(peopleByHandlers("standard"));
      expectAnswer(await send("/p/first()"), {
        body: { ...context("#Net.Person"), ...(await send("/p/first()")).json },
      });
      for (const level of ["minimal", "none"]) {
        const { text } = await send("/p/first()", { Accept: `application/json;odata.metadata=${level}` });
        expect(text).not.toContain("@odata.id");
      }
    });
  });

  describe("OData-EntityId on the 204 of POST to a collection of references", () => {
    test("names the referenced entity, by default it is absent", async () => {
      for (const profile of PROFILES) {
        const { send } = await shopBehind(door, { profile });
        const named = profile === "standard" ? { "odata-entityid": `${ORIGIN}/odata/Orders(11)` } : {};
        for (const id of ["Orders(11)", "../../Orders(11)", `${ORIGIN}/odata/Orders(Id=11)`]) {
          const body = JSON.stringify({ "@odata.id": id });
          const answer = await send("/odata/Customers(1)/Orders/$ref", JSON_BODY, "POST", body);
          expectAnswer(answer, { status: 204, headers: { ...EMPTY_HEADERS, ...named }, body: "" });
        }
        const set = await send("/odata/Orders(10)/Customer/$ref", JSON_BODY, "PUT", '{"@odata.id":"Customers(2)"}');
        expectAnswer(set, { status: 204, headers: EMPTY_HEADERS, body: "" });
      }
    });

    test("returns `OData-EntityId` only for the URL of an entity of the service", async () => {
      const send = door.to(books("standard"));
      for (const [id, entityId] of [
        ["Tags(7)", `${ORIGIN}/s/Tags(7)`],
        ["/s/Tags(Id=7)", `${ORIGIN}/s/Tags(7)`],
        ["http://elsewhere.example/Tags('é')", undefined],
        ["javascript:alert(1)", undefined],
        [`${ORIGIN}/s/Tags(7)?${"x".repeat(50_000)}`, undefined],
        ["any text\n", undefined],
      ]) {
        const answer = await send("/s/Books(1)/Tags/$ref", JSON_BODY, "POST", JSON.stringify({ "@odata.id": id }));
        const headers = entityId === undefined ? EMPTY_HEADERS : { ...EMPTY_HEADERS, "odata-entityid": entityId };
        expectAnswer(answer, { status: 204, headers, body: "" });
      }
    });
  });

  describe("batches of the standard profile", () => {
    const json = { json: true };

    test('the URL "" of a JSON batch is the service root, by default 400', async () => {
      const body = JSON.stringify({ requests: [{ id: "1", method: "GET", url: "" }] });
      const standard = await shopBehind(door, { profile: "standard", batch: json });
      const answer = await standard.send("/odata/$batch", JSON_BODY, "POST", body);
      expect(answer.status).toBe(200);
      const root = (await standard.send("/odata/")).json as unknown;
      expect(answer.json.responses).toMatchObject([{ id: "1", status: 200, body: root }]);
      const specified = await shopBehind(door, { batch: json });
      const refused = await specified.send("/odata/$batch", JSON_BODY, "POST", body);
      expectError(refused, { status: 400, code: "InvalidBody" });
      for (const url of [null, 5]) {
        const wrong = JSON.stringify({ requests: [{ id: "1", method: "GET", url }] });
        expect((await standard.send("/odata/$batch", JSON_BODY, "POST", wrong)).status).toBe(400);
      }
    });

    test("/$1 is $1, by default 404", async () => {
      const parts = [
        [
          { request: "POST Orders", id: "1", body: { Id: 12, CustomerId: 1, Note: "a" } },
          { request: "PATCH /$1", body: { Note: "b" } },
          { request: "PUT /$1/Customer/$ref", body: { "@odata.id": "Customers(2)" } },
        ],
        { request: "GET /$metadata" },
      ];
      const standard = await shopBehind(door, { profile: "standard" });
      const [set, metadata] = await standard.batch(parts);
      expect(whole(set).map(({ status }) => status)).toEqual([201, 200, 204]);
      expect(single(metadata).status).toBe(200);
      expect(await standard.rowsOf("orders")).toContainEqual({ id: 12, customer_id: 2, note: "b" });
      const specified = await shopBehind(door);
      expect(single((await specified.batch(parts))[0]).status).toBe(404);
    });

    test.each(["$1", "$odata", "~"])("a path below the prefix /%s is not a reference", async (prefix) => {
      const send = door.to(
        odataService({
          prefix: `/${prefix}`,
          profile: "standard",
          batch: json,
          logger: noFailures,
          entitySets: [entitySet(Tag, { getAll: () => [{ id: 7, label: "x" }] })],
        }),
      );
      const urls = [`/${prefix}/Tags`, `/${prefix}?x=1`, "/$metadata", "/Tags"];
      const requests = urls.map((each, index) => ({ id: String(index + 2), method: "GET", url: each }));
      const answer = await send(`/${prefix}/$batch`, JSON_BODY, "POST", JSON.stringify({ requests }));
      const responses = answer.json.responses as ReadonlyArray<{ readonly status: number }>;
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    });

    test("/$1 in a JSON batch", async () => {
      const { send } = await shopBehind(door, { profile: "standard", batch: json });
      const requests = [
        { id: "1", method: "POST", url: "Orders", body: { Id: 12, CustomerId: 1, Note: "a" } },
        { id: "2", method: "PATCH", url: "/$1", body: { Note: "b" }, dependsOn: ["1"] },
        { id: "3", method: "GET", url: "/$4" },
      ];
      const answer = await send("/odata/$batch", JSON_BODY, "POST", JSON.stringify({ requests }));
      expect((answer.json.responses as ReadonlyArray<{ readonly status: number }>).map(({ status }) => status)).toEqual(
        [201, 200, 424],
      );
    });
  });
});
