import { edm, entityType, entitySet, odataError, odataService, type ServiceOptions } from "odatakit";
import { expect, test } from "vitest";
import { multipart, MULTIPART, received, shopBehind, single } from "./batch-model.ts";
import { eachDoor, expectAnswer, ERROR_HEADERS, SEVERITY } from "./doors.ts";
import { noFailures } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

const Task = entityType("Task", {
  id: edm.int32().key(),
  hours: edm.int32({ minimum: 1 }),
  note: edm.string({ maxLength: 3 }),
});

const service = (options: Partial<ServiceOptions>) =>
  odataService({
    profile: "standard",
    prefix: "/s",
    logger: noFailures,
    entitySets: [
      entitySet(Task, {
        getAll: () => [],
        create: ({ id, note }) =>
          id === 1
            ? odataError(409, "Taken", `Note: ${note} is taken.`, { target: "Note" })
            : odataError(409, "Taken", `Note is taken.`, { target: "Note" }),
      }),
    ],
    ...options,
  });

const FULL = "@com.sap.vocabularies.Common.v1.numericSeverity";
const FAULTY = '{"Id":1,"Hours":0,"Note":"long"}';
const faults = (annotations: object) => [
  {
    code: "InvalidBody",
    message: "0 is too small: write a number of at least 1.",
    target: "Hours",
    ...annotations,
  },
  {
    code: "InvalidBody",
    message: '"long" is too long: write at most 3 characters.',
    target: "Note",
    ...annotations,
  },
];
const MESSAGE = "The body has 2 faults. 'details' lists them.";

eachDoor((door) => {
  test("each detail has its severity, by the full name and by the alias that $metadata declares", async () => {
    const send = door.to(service({}));
    const answer = await send("/s/Tasks", JSON_BODY, "POST", FAULTY);
    const error = { code: "InvalidBody", message: MESSAGE, details: faults(SEVERITY) };
    expectAnswer(answer, { status: 400, headers: ERROR_HEADERS, body: { error } });
    const { text } = await send("/s/$metadata");
    expect(text).toMatch(
      /Uri="https:\/\/sap\.github\.io\/odata-vocabularies\/vocabularies\/Common\.xml">\s*<edmx:Include Namespace="com\.sap\.vocabularies\.Common\.v1" Alias="Common"\/>/u,
    );
    const { json } = await send("/s/$metadata?$format=json");
    expect(json.$Reference["https://sap.github.io/odata-vocabularies/vocabularies/Common.json"]).toEqual({
      $Include: [{ $Namespace: "com.sap.vocabularies.Common.v1", $Alias: "Common" }],
    });
  });

  test.each<readonly [string, Partial<ServiceOptions>]>([
    ["the namespace of the service", { namespace: "Common" }],
    [
      "another vocabulary",
      { vocabularies: { Common: { namespace: "org.example.V1", uri: "https://example.org/V1" } } },
    ],
  ])("if the alias is %s, details have the full name only", async (_name, options) => {
    const answer = await door.to(service(options))("/s/Tasks", JSON_BODY, "POST", FAULTY);
    const error = { code: "InvalidBody", message: MESSAGE, details: faults({ [FULL]: 4 }) };
    expectAnswer(answer, { status: 400, headers: ERROR_HEADERS, body: { error } });
  });

  test("with the default profile, $metadata does not refer to the vocabulary", async () => {
    const { text } = await door.to(service({ profile: "specification" }))("/s/$metadata");
    expect(text).not.toContain("com.sap");
  });

  test("a message beside a target does not repeat the target", async () => {
    const send = door.to(service({}));
    const message = async (body: string, path = "Tasks") =>
      (await send(`/s/${path}`, JSON_BODY, "POST", body)).json.error;
    const valid = '"Hours":1,"Note":"a"';
    expect(await message(`{"Id":null,${valid}}`)).toEqual({
      code: "NullNotAllowed",
      message: "This value must not be null: give it a value.",
      target: "Id",
    });
    expect(await message(`{"Id":1,${valid}}`)).toEqual({ code: "Taken", message: "a is taken.", target: "Note" });
    expect(await message(`{"Id":2,${valid}}`)).toEqual({ code: "Taken", message: "Note is taken.", target: "Note" });
    const other = door.to(service({ profile: "specification" }));
    const { json } = await other("/s/Tasks", JSON_BODY, "POST", `{"Id":1,${valid}}`);
    expect(json.error.message).toBe("Note: a is taken.");
  });

  test("in a change set, details name the operation, too", async () => {
    const { service: shop } = await shopBehind(door, { profile: "standard", batch: { json: true } });
    const send = door.to(shop);
    const name = "A name of more than twenty characters";
    const annotations = { ...SEVERITY, "@Org.OData.Core.V1.ContentID": "2" };
    const error = {
      code: "InvalidBody",
      message: MESSAGE,
      details: [
        {
          code: "InvalidBody",
          message: '"x" is not an Edm.Int32: write a whole number.',
          target: "Id",
          ...annotations,
        },
        {
          code: "InvalidBody",
          message: `"${name.slice(0, 40)}" is too long: write at most 20 characters.`,
          target: "Name",
          ...annotations,
        },
      ].map((each) => ({ ...each, message: expect.stringMatching(/^"(x" is not an|A name of)/u) })),
      "@Org.OData.Core.V1.ContentID": "2",
    };
    const body = { Id: "x", Name: name };
    const parts = [
      [
        { request: "POST Customers", id: "1", body: { Id: 4, Name: "Di" } },
        { request: "POST Customers", id: "2", body },
      ],
    ];
    const answer = await send("/odata/$batch", MULTIPART, "POST", multipart(parts));
    const part = single(received(answer.headers["content-type"], answer.text)[0]);
    expect([part.status, part.id, part.json]).toEqual([400, "2", { error }]);
    const headers = JSON_BODY;
    const requests = [
      { id: "1", atomicityGroup: "g", method: "POST", url: "Customers", headers, body: { Id: 4, Name: "Di" } },
      { id: "2", atomicityGroup: "g", method: "POST", url: "Customers", headers, body },
    ];
    const whole = await send("/odata/$batch", JSON_BODY, "POST", JSON.stringify({ requests }));
    const { responses } = whole.json as { responses: ReadonlyArray<{ body: unknown }> };
    expect(responses.map(({ body }) => body)).toContainEqual({ error });
  });
});
