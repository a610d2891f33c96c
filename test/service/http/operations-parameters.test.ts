import { describe, expect, test } from "vitest";
import { eachDoor, expectError, JSON_HEADERS } from "./doors.ts";
import { CASES, type Calls, echoService, SCALARS, STRUCTURES } from "./operation-model.ts";

const JSON_BODY = { "Content-Type": "application/json" };
const invalid = { status: 400, code: "InvalidParameter", target: "x" };

eachDoor((door) => {
  const calls: Calls = { last: undefined };
  const send = door.to(echoService(calls));

  /** A call that reaches its handler with the value, and answers it as bare JSON. */
  async function expectCall(target: string, each: { readonly value: unknown; readonly json: string }): Promise<void> {
    calls.last = undefined;
    const answer = await send(target);
    expect({ target, status: answer.status, text: answer.text }).toEqual({ target, status: 200, text: each.json });
    expect(answer.headers).toEqual(JSON_HEADERS);
    expect(calls.last).toEqual(each.value);
  }

  async function expectRefused(target: string): Promise<void> {
    calls.last = undefined;
    expectError(await send(target), invalid);
    expect(calls.last).toBeUndefined();
  }

  describe.each(CASES)("a parameter of type $name", (each) => {
    const { name, literal, json } = each;
    const encoded = encodeURIComponent(literal);
    // Paths are split at slashes first, so only slashes need encoding in a segment.
    const forms = [
      `/o/get${name}?x=${encoded}`,
      `/o/get${name}(x=${encoded})`,
      `/o/get${name}(%20x%20=%20${encoded}%20)`,
      `/o/get${name}()?x=${encoded}`,
      `/o/get${name}(x=@p)?@p=${encoded}`,
      `/o/get${name}?x=@p&@p=${encoded}`,
      `/o/get${name}(x=@p)?@p=@q&@q=${encoded}`,
    ];

    test.each(forms)("%s", async (target) => {
      await expectCall(target, each);
    });

    test.runIf(each.quoted !== undefined)("quotes around the literal", async () => {
      const quoted = encodeURIComponent(each.quoted ?? "");
      for (const target of [
        `/o/get${name}?x=${quoted}`,
        `/o/get${name}(x=${quoted})`,
        `/o/get${name}(x=@p)?@p=${quoted}`,
      ]) {
        await expectCall(target, each);
      }
    });

    test("an entity-bound and a collection-bound function, by either name", async () => {
      for (const path of ["Holders(1)/ofEntity", "Holders(1)/Ops.ofEntity", "Holders/ofSet", "Holders/Ops.ofSet"]) {
        for (const call of [`${path}${name}?x=${encoded}`, `${path}${name}(x=${encoded})`]) {
          calls.last = undefined;
          const answer = await send(`/o/${call}`);
          expect({ call, status: answer.status }).toEqual({ call, status: 200 });
          expect(answer.text).toContain(json);
          expect(calls.last).toEqual(each.value);
        }
      }
    });

    test.each([`/o/send${name}`, `/o/Holders(1)/do${name}`, `/o/Holders(1)/Ops.do${name}`])(
      "POST %s",
      async (target) => {
        calls.last = undefined;
        const answer = await send(target, JSON_BODY, "POST", `{"x":${json}}`);
        expect(answer.status).toBe(200);
        expect(answer.text).toContain(json);
        expect(calls.last).toEqual(each.value);
      },
    );

    test("rejects invalid values in a URL, in any form of the call", async () => {
      for (const wrong of each.wrongLiterals.map(encodeURIComponent)) {
        for (const target of [`/o/get${name}?x=${wrong}`, `/o/get${name}(x=@p)?@p=${wrong}`]) {
          calls.last = undefined;
          const answer = await send(target);
          expect({ target, status: answer.status }).toEqual({ target, status: 400 });
          // A fault within a structure is reported with its path.
          expectError(answer, { ...invalid, target: /^x\b/u.exec(answer.json.error.target)?.input ?? "x" });
          expect(calls.last).toBeUndefined();
        }
      }
    });

    test("rejects invalid values in a body", async () => {
      for (const wrong of each.wrongJson) {
        calls.last = undefined;
        const answer = await send(`/o/send${name}`, JSON_BODY, "POST", `{"x":${wrong}}`);
        expect({ wrong, status: answer.status, code: answer.json.error.code }).toEqual({
          wrong,
          status: 400,
          code: "InvalidParameter",
        });
        expect(answer.json.error.target).toMatch(/^x/u);
        expect(calls.last).toBeUndefined();
      }
    });

    test("without it, or with null, the call is refused", async () => {
      const missing = { status: 400, code: "MissingParameter", target: "x" };
      for (const target of [`/o/get${name}`, `/o/get${name}()`, `/o/get${name}(x=@p)`, `/o/get${name}(x=@p)?@q=1`]) {
        expectError(await send(target), missing);
      }
      expectError(await send(`/o/send${name}`, JSON_BODY, "POST", "{}"), missing);
      for (const target of [`/o/get${name}?x=null`, `/o/get${name}(x=null)`, `/o/get${name}(x=@p)?@p=null`]) {
        expectError(await send(target), invalid);
      }
      expectError(await send(`/o/send${name}`, JSON_BODY, "POST", '{"x":null}'), invalid);
    });

    test("given twice, the call is refused", async () => {
      for (const target of [
        `/o/get${name}?x=${encoded}&x=${encoded}`,
        `/o/get${name}(x=${encoded},x=${encoded})`,
        `/o/get${name}(x=${encoded})?x=${encoded}`,
        `/o/get${name}?x=`,
      ]) {
        await expectRefused(target);
      }
    });
  });

  describe("clients that leave quotes away", () => {
    test.each(SCALARS.filter(({ plain }) => plain !== undefined))("$name", async (each) => {
      for (const plain of each.plain ?? []) {
        await expectCall(`/o/get${each.name}?x=${encodeURIComponent(plain)}`, each);
      }
    });

    test.each([
      ["5", "5"],
      ["true", "true"],
      ["a,b", "a,b"],
      ["2024-02-29", "2024-02-29"],
      ["a%20b", "a b"],
      ["a+b", "a b"],
      ["a%3Db", "a=b"],
      ["%40home.de", "@home.de"],
      ["%5B1%5D", "[1]"],
      ["O'Neil", "O'Neil"],
    ])("a text %s", async (plain, value) => {
      await expectCall(`/o/getString?x=${plain}`, { value, json: JSON.stringify(value) });
    });

    test.each(["null", "%20null", "+'open", "open'+", "%22open", "'"])("%s is not a text", async (plain) => {
      await expectRefused(`/o/getString?x=${plain}`);
    });

    test("an alias without a value is not a string", async () => {
      expectError(await send("/o/getString?x=@home"), { status: 400, code: "MissingParameter", target: "x" });
    });

    test("in parentheses and in aliases literals have their quotes", async () => {
      for (const name of ["String", "Duration", "Color", "Binary"]) {
        const plain = SCALARS.find((each) => each.name === name)?.plain?.at(-1) ?? "";
        if (plain === "1") continue;
        const encoded = encodeURIComponent(plain);
        await expectRefused(`/o/get${name}(x=@p)?@p=${encoded}`);
      }
      await expectRefused("/o/getString(x=abc)");
      await expectRefused("/o/getColor(x=Green)");
    });
  });

  test("a quote, a comma, a parenthesis and an encoded slash within a text", async () => {
    for (const value of ["a,b", "a)b", "(a", "a'b", "a/b", "a=b", "a+b", "100%", "'"]) {
      const literal = encodeURIComponent(`'${value.replaceAll("'", "''")}'`);
      await expectCall(`/o/getString(x=${literal})`, { value, json: JSON.stringify(value) });
      await expectCall(`/o/getString?x=${literal}`, { value, json: JSON.stringify(value) });
    }
  });

  test("aliases in a circle are refused", async () => {
    await expectRefused("/o/getInt32(x=@a)?@a=@b&@b=@a");
    await expectRefused("/o/getTexts(x=@a)?@a=@a");
  });

  test("JSON in a URL nests no deeper than a body may", async () => {
    const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
    expectError(await send(`/o/getTexts?x=${deep}`), { ...invalid, message: /deep|levels/u });
  });

  test("accepts strings as numbers if the client says so", async () => {
    const headers = { "Content-Type": "application/json;IEEE754Compatible=true" };
    const answer = await send("/o/sendInt32", headers, "POST", '{"x":"5"}');
    expect([answer.status, answer.text]).toEqual([200, "5"]);
  });

  test("numbers are strings in a result if the client requests this", async () => {
    const headers = { Accept: "application/json;IEEE754Compatible=true" };
    expect((await send("/o/getInt64?x=9007199254740993", headers)).text).toBe('"9007199254740993"');
    expect((await send("/o/getNumbers?x=[1]", headers)).text).toBe('["1"]');
    expect((await send("/o/Holders/ofSetDecimal?x=1.5", headers)).json).toEqual({
      "@odata.context": "http://service.example/o/$metadata#Edm.Decimal",
      value: "1.5",
    });
  });

  test("every structure may be inline in parentheses", async () => {
    for (const each of STRUCTURES) await expectCall(`/o/get${each.name}(x=${encodeURIComponent(each.literal)})`, each);
  });
});
