import { action, edm, entitySet, entityType, fn, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import type { AnyProperty } from "../../../src/definition/types/value-type.ts";
import { eachDoor, EMPTY_HEADERS, expectAnswer, ORIGIN } from "./doors.ts";
import { CASES, echoService, SCALARS } from "./operation-model.ts";

const Holder = entityType("Holder", { id: edm.int32().key() });
const JSON_BODY = { "Content-Type": "application/json" };

/** A property with a default, whatever type it has. */
type Defaulted = AnyProperty & { default(value: unknown): AnyProperty };

/** A service whose operations take a parameter of each type that may be left out. */
function optionalService(note: (given: unknown) => void) {
  const params = Object.fromEntries(
    CASES.map(({ name, make, value }) => [name, (make() as Defaulted).default(value)] as const),
  );
  const take = (given: unknown): boolean => {
    note(given);
    return true;
  };
  return odataService({
    namespace: "Ops",
    prefix: "/o",
    entitySets: [
      entitySet(Holder, {
        functions: {
          ofEntity: fn(Holder, {
            bound: "entity",
            params,
            returns: edm.boolean(),
            handler: (_key, given) => take(given),
          }),
        },
        actions: { ofSet: action(Holder, { bound: "collection", params, handler: note }) },
      }),
    ],
    functions: { get: fn({ params, returns: edm.boolean(), handler: take }) },
    actions: { send: action({ params, handler: note }) },
  });
}

eachDoor((door) => {
  describe("parameters that are left out", () => {
    const defaults = Object.fromEntries(CASES.map(({ name, value }) => [name, value]));

    test.each([
      ["GET", "/o/get"],
      ["GET", "/o/get()"],
      ["GET", "/o/Holders(1)/ofEntity"],
      ["GET", "/o/Holders(1)/Ops.ofEntity()"],
      ["POST", "/o/send"],
      ["POST", "/o/Holders/ofSet"],
    ])("have the defaults of their types: %s %s", async (method, target) => {
      const calls: unknown[] = [];
      const send = door.to(optionalService((given) => calls.push(given)));
      const isAction = method === "POST";
      const answer = await send(target, isAction ? JSON_BODY : {}, method, isAction ? "{}" : undefined);
      if (isAction) expectAnswer(answer, { status: 204, headers: EMPTY_HEADERS, body: "" });
      else expect(answer.status).toBe(200);
      expect(calls).toEqual([defaults]);
    });

    test("have them again in the next call, whatever a handler does to them", async () => {
      const calls: unknown[] = [];
      const send = door.to(
        optionalService((given) => {
          calls.push(structuredClone(given));
          spoil(given);
        }),
      );
      for (let call = 0; call < 2; call++) expect((await send("/o/get")).status).toBe(200);
      expect(calls).toEqual([defaults, defaults]);
    });

    test("one of them beside others that are given", async () => {
      const calls: unknown[] = [];
      const send = door.to(optionalService((given) => calls.push(given)));
      expect((await send("/o/get(Int32=5)?")).status).toBe(200);
      expect((await send("/o/send", JSON_BODY, "POST", '{"Texts":[]}')).status).toBe(204);
      expect(calls).toEqual([
        { ...defaults, Int32: 5 },
        { ...defaults, Texts: [] },
      ]);
    });
  });

  describe("wraps a bound result of each primitive type in its envelope", () => {
    const send = door.to(echoService({ last: undefined }));
    // Enumerations are not primitive types: their members are bare.
    const primitive = SCALARS.filter(({ name }) => name !== "Color" && name !== "Access");

    test.each(primitive)("Edm.$name", async ({ name, literal, json }) => {
      const context = `${ORIGIN}/o/$metadata#Edm.${name}`;
      const body = `{"@odata.context":"${context}","value":${json}}`;
      const encoded = encodeURIComponent(literal);
      expectAnswer(await send(`/o/Holders(1)/ofEntity${name}(x=${encoded})`), { body });
      expectAnswer(await send(`/o/Holders/ofSet${name}?x=${encoded}`), { body });
      expectAnswer(await send(`/o/Holders(1)/do${name}`, JSON_BODY, "POST", `{"x":${json}}`), { body });
    });

    test.each(CASES.filter((each) => !primitive.includes(each)))("$name is bare", async ({ name, literal, json }) => {
      expectAnswer(await send(`/o/Holders/ofSet${name}?x=${encodeURIComponent(literal)}`), { body: json });
    });
  });
});

test("$metadata contains the default of every primitive and enumeration type", async () => {
  const service = optionalService(() => undefined);
  const xml = await (await service.fetch(new Request(`${ORIGIN}/o/$metadata`))).text();
  for (const { name, json } of SCALARS) {
    const text = (json.startsWith('"') ? (JSON.parse(json) as string) : json).replaceAll("&", "&amp;");
    const [, told] = new RegExp(`<Parameter Name="${name}"[^]*?DefaultValue" String="([^"]*)"`, "u").exec(xml) ?? [];
    expect([name, told?.replace("E+", "e+")]).toEqual([name, text]);
  }
  // The vocabulary has no form for the others.
  for (const name of ["Position", "Texts"]) {
    expect(new RegExp(`<Parameter Name="${name}"[^]*?</Parameter>`, "u").exec(xml)?.[0]).toMatch(
      /OptionalParameter">\s*<Record\/>/u,
    );
  }
});

/** Changes all that can be changed. */
function spoil(given: unknown): void {
  if (typeof given !== "object" || given === null) return;
  for (const [key, value] of Object.entries(given)) {
    spoil(value);
    Reflect.set(given, key, 0);
  }
}
