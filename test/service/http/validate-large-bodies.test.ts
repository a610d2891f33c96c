import { edm, entitySet, entityType, hasMany, odataService } from "odatakit";
import { afterEach, expect, test, vi } from "vitest";
import { noFailures, recordingLogger } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

afterEach(() => void vi.restoreAllMocks());

type Service = ReturnType<typeof odataService>;

const Row = entityType("Row", { id: edm.int32().key(), parentId: edm.int32().nullable() });

/** A set of rows with nested rows. */
const tree = (
  create: NonNullable<Parameters<typeof entitySet<typeof Row>>[1]["validate"]>["create"],
  standard = true,
) =>
  odataService({
    profile: standard ? "standard" : "specification",
    logger: noFailures,
    entitySets: [
      entitySet(Row, {
        allowDeepInsert: true,
        create: ({ id }) => ({ id, parentId: null }),
        validate: { create },
        navigation: { rows: hasMany(Row, { target: "Rows", on: { id: "parentId" } }) },
      }),
    ],
  });

const post = async (service: Service, body: object, signal?: AbortSignal): Promise<Response> => {
  const init = { method: "POST", headers: JSON_BODY, body: JSON.stringify(body), ...(signal && { signal }) };
  return service.fetch(new Request("http://service.example/Rows", init));
};

const many = (count: number): object => ({ Id: 0, Rows: Array.from({ length: count }, (_, at) => ({ Id: at + 1 })) });

const nextTick = async (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

test("at most 16 validators run at once", async () => {
  const running = { now: 0, most: 0, all: 0 };
  const service = tree(async () => {
    running.all += 1;
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    await nextTick();
    running.now -= 1;
  });
  expect((await post(service, many(300))).status).toBe(201);
  expect(running).toEqual({ now: 0, most: 16, all: 301 });
});

test.each([
  ["the standard profile", true, 100, 116],
  ["the default profile", false, 1, 17],
])("%s starts no validator once the faults are complete", async (_title, standard, listed, most) => {
  // Each turn is over at once, so that validators start in another order.
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 20));
  for (const wait of [nextTick, () => undefined]) {
    let started = 0;
    const service = tree(({ entity }) => {
      started += 1;
      const found = [{ message: `Not ${String(entity.id)}.`, path: ["id"] }];
      const waited = wait();
      return waited === undefined ? found : waited.then(() => found);
    }, standard);
    const answer = await post(service, many(1000));
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as {
      error: { message: string; details?: ReadonlyArray<{ readonly message: string }> };
    };
    const messages = Array.from({ length: 100 }, (_, at) => `Not ${String(at)}.`);
    if (standard) expect(error.details?.map(({ message }) => message)).toEqual(messages);
    else expect(error.message).toBe("Not 0.");
    expect([started >= listed, started <= most]).toEqual([true, true]);
  }
});

test("an aborted request starts no more validators", async () => {
  const controller = new AbortController();
  let started = 0;
  const service = tree(async () => {
    started += 1;
    if (started === 20) controller.abort();
    await nextTick();
  });
  await post(service, many(1000), controller.signal).catch(() => undefined);
  expect(started).toBeLessThanOrEqual(36);
});

test("makes an error for the listed issues only", async () => {
  const seen: string[] = [];
  const issues = Array.from({ length: 5000 }, (_, at) => ({
    message: "No.",
    get path() {
      seen.push(String(at));
      return [];
    },
  }));
  const targets = async (standard: boolean): Promise<number> => {
    seen.length = 0;
    expect(
      (
        await post(
          tree(() => issues, standard),
          { Id: 1 },
        )
      ).status,
    ).toBe(400);
    // Each issue is checked once; only an error reads its path again.
    return seen.length - issues.length;
  };
  expect([await targets(true), await targets(false)]).toEqual([100, 1]);
});

test("nested entities come from one copy, whose values no rule can change for another", async () => {
  const seen: object[] = [];
  const service = tree(({ entity }) => {
    seen.push(entity);
    Object.assign(entity, { parentId: 13 });
    return entity.parentId === 13 ? [] : [{ message: "Never." }];
  });
  const answer = await post(service, { Id: 1, Rows: [{ Id: 2, Rows: [{ Id: 3 }] }] });
  expect(answer.status).toBe(201);
  const [first, second, third] = seen as ReadonlyArray<{ readonly rows: readonly object[] }>;
  const [nested] = first?.rows ?? [];
  expect(nested).toEqual({ id: 2, parentId: 1, rows: [{ id: 3, parentId: 2 }] });
  expect(nested).not.toBe(second);
  expect(nested).toHaveProperty("rows", second?.rows);
  expect(Object.is(Reflect.get(nested ?? {}, "rows"), second?.rows)).toBe(true);
  expect(third).toEqual({ id: 3, parentId: 13 });
});

test("a function that changes a nested entity is a logged 500", async () => {
  const logger = recordingLogger();
  const Node = entityType("Node", { id: edm.int32().key(), nodeId: edm.int32().nullable() });
  const nodes = entitySet(Node, {
    allowDeepInsert: true,
    create: ({ id }) => ({ id, nodeId: null }),
    validate: { create: ({ entity }) => void Object.assign(entity.nodes?.[0] ?? {}, { id: 9 }) },
    navigation: { nodes: hasMany(Node, { target: "Nodes", on: { id: "nodeId" } }) },
  });
  const service = odataService({ entitySets: [nodes], logger });
  const init = { method: "POST", headers: JSON_BODY, body: '{"Id":1,"Nodes":[{"Id":2}]}' };
  const answer = await service.fetch(new Request("http://service.example/Nodes", init));
  expect(answer.status).toBe(500);
  expect(logger.errors.map(({ fields }) => String(fields["err"]))).toEqual([expect.stringMatching(/read only/)]);
});
