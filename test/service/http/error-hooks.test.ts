import { edm, entitySet, entityType, odataError, odataService } from "odatakit";
import { expect, test } from "vitest";

const City = entityType("City", { id: edm.int32().key() });

/** Reads a set whose handler throws. */
async function answer(
  thrown: Error,
  explainError: (error: unknown) => ReturnType<typeof odataError> | undefined,
): Promise<{ readonly response: Response; readonly logged: readonly unknown[] }> {
  const logged: unknown[] = [];
  const service = odataService({
    entitySets: [
      entitySet(City, {
        queryable: () => {
          throw thrown;
        },
      }),
    ],
    explainError,
    logger: { error: (_message, fields) => logged.push(fields), warn: () => undefined, info: () => undefined },
  });
  return { response: await service.fetch(new Request("http://host/Cities")), logged };
}

test("explainError answers an error that would be a 500, with headers, and the log has the error itself", async () => {
  const thrown = new Error("gone");
  const { response, logged } = await answer(thrown, (error) =>
    error === thrown ? odataError(503, "Moving", "Try later.", { headers: { "Retry-After": "7" } }) : undefined,
  );
  expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "7"]);
  expect(await response.json()).toEqual({ error: { code: "Moving", message: "Try later." } });
  expect(logged).toEqual([expect.objectContaining({ status: 503, err: thrown })]);
});

test.each([
  ["returns undefined", () => undefined],
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
  ["returns something else", () => ({ status: 200 }) as never],
])("a hook that %s leaves the 500", async (_name, explainError) => {
  const { response, logged } = await answer(new Error("gone"), explainError);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: { code: "InternalServerError" } });
  expect(logged).toHaveLength(1);
});

test("explainError does not see errors for the client", async () => {
  const seen: unknown[] = [];
  const { response } = await answer(odataError(409, "Closed", "It is closed."), (error) => {
    seen.push(error);
    return undefined;
  });
  expect([response.status, seen]).toEqual([409, []]);
});
