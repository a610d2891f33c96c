import { complexType, edm, fn, odataService } from "odatakit";
import { describe, test } from "vitest";
import { eachDoor, expectAnswer, expectError, JSON_HEADERS } from "./doors.ts";
import { NO_LIMITS } from "./limits.ts";

/** Functions whose parameters may be null, or hold null; each returns its arguments as they reached it. */
const Pair = complexType("Pair", { left: edm.int32(), right: edm.int32().nullable() });
const params = {
  number: { x: edm.int32().nullable() },
  text: { x: edm.string().nullable() },
  items: { x: edm.collection(edm.int32().nullable()) },
  pair: { x: edm.complex(Pair).nullable() },
} as const;
const returns = edm.string();
const shown = (given: unknown): string => JSON.stringify(given);

const functions = {
  number: fn({ params: params.number, returns, handler: shown }),
  text: fn({ params: params.text, returns, handler: shown }),
  items: fn({ params: params.items, returns, handler: shown }),
  pair: fn({ params: params.pair, returns, handler: shown }),
  nothing: fn({ returns, handler: () => "nothing" }),
};

eachDoor((door) => {
  describe.each([
    ["with the usual limits", door.to(odataService({ functions, entitySets: [] }))],
    ["without limits", door.to(odataService({ functions, entitySets: [], defaults: NO_LIMITS }))],
  ])("%s", (_limits, send) => {
    test.each([
      ["number(x=5)", { x: 5 }],
      ["number(x=null)", { x: null }],
      ["number?x=null", { x: null }],
      ["number(x=@x)?@x=null", { x: null }],
      // An alias without a value is null.
      ["number(x=@x)", { x: null }],
      ["number?x=@x", { x: null }],
      ["text?x=null", { x: null }],
      ["text?x='null'", { x: "null" }],
      ["items?x=[1,null]", { x: [1, null] }],
      ["items(x=@x)?@x=[]", { x: [] }],
      ['pair?x={"Left":1,"Right":null}', { x: { left: 1, right: null } }],
      ["pair(x=@x)?@x=null", { x: null }],
      ["pair(x=@x)", { x: null }],
      ["nothing()", undefined],
      ["nothing?x=1", undefined],
    ])("%s", async (target, given) => {
      const text = JSON.stringify(given === undefined ? "nothing" : shown(given));
      expectAnswer(await send(`/${target}`), { status: 200, headers: JSON_HEADERS, body: text });
    });

    test.each([
      ["items(x=@x)", "MissingParameter", "x"],
      ["items(x=null)", "InvalidParameter", "x"],
      ["items?x=5", "InvalidParameter", "x"],
      ["items?xs=[1]", "MissingParameter", "x"],
      ["items?unlike=[1]", "MissingParameter", "x"],
      ["number(x=(5)", "InvalidParameter", "x"],
      ["number(x=1%202)", "InvalidParameter", "x"],
      ["number(y=1)", "InvalidParameter", "y"],
      ["number(=1)", "InvalidParameter", "number"],
      ["nothing(x=1)", "InvalidParameter", "x"],
      ["nothing(1)", "InvalidParameter", "nothing"],
    ])("%s is refused", async (target, code, at) => {
      const answer = await send(`/${target}`);
      expectError(answer, { status: 400, code, target: at });
    });
  });
});
