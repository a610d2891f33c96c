import "@angular/compiler";
import { createApplication } from "@angular/platform-browser";
import { ODataClient, provideODataClient } from "angular-odata";
import { lastValueFrom } from "rxjs";

const opened = createApplication({
  providers: [provideODataClient({ config: { serviceRootUrl: `${location.origin}/odata/` } })],
}).then(async ({ injector }) => injector.get(ODataClient));

const products = async () => (await opened).entitySet("Products");
const product = async (key) => (await products()).entity(key);
const done = (observable) => lastValueFrom(observable);
const names = (entities) => entities.map(({ Name }) => Name);
/** What an error of `HttpClient` says. */
const refused = ({ status, error }) => ({ status, code: error?.error?.code });

export async function list() {
  const set = await products();
  set.query((q) => {
    q.filter(({ e, t, o }) => e().contains(t.Name, "1").gt(t.Price, 20));
    q.orderBy(({ e, t }) => e().descending(t.Id));
    q.select(["Id", "Name"]);
    q.expand({ Category: { select: ["Name"] } });
    q.top(2);
    q.skip(1);
  });
  const { entities, annots } = await done(set.fetch({ withCount: true }));
  return { count: annots.count, entities: entities.map(({ Name, Category }) => [Name, Category.Name]) };
}

/** Follows the next links of pages of 25 entities. */
export async function all() {
  const set = await products();
  set.query((q) => q.filter(({ e, t }) => e().gt(t.Id, 5)));
  const { entities } = await done(set.fetchAll({ headers: { Prefer: "odata.maxpagesize=25" } }));
  return entities.map(({ Id }) => Id);
}

export async function grow() {
  const set = await products();
  set.query((q) => {
    q.orderBy(({ e, t }) => e().ascending(t.Id));
    q.top(3);
  });
  const read = [];
  for (const skip of [0, 3]) {
    set.query((q) => q.skip(skip));
    read.push(...names((await done(set.fetch())).entities));
  }
  return read;
}

export async function search() {
  const set = await products();
  set.query((q) => {
    q.search("product 0");
    q.orderBy(({ e, t }) => e().ascending(t.Id));
    q.top(2);
  });
  return names((await done(set.fetch())).entities);
}

export const count = async () => done((await products()).count().fetch());
export const create = async () =>
  (await done((await products()).create({ Name: "New", Price: 5, IsInStock: true }))).entity;

/** Changes an entity, then changes it again with the ETag of the first read. */
export async function change() {
  const resource = await product(2);
  const { annots } = await done(resource.fetch());
  const changed = await done(resource.modify({ Name: "Changed" }, { etag: annots.etag }));
  const conflict = await done(resource.modify({ Name: "Too late" }, { etag: annots.etag })).then(() => null, refused);
  return { name: changed.entity.Name, etag: changed.annots.etag, conflict };
}

/** Replaces an entity, whose missing properties become null. */
export async function replace() {
  const resource = await product(6);
  const { annots } = await done(resource.fetch());
  const { entity } = await done(
    resource.update({ Name: "Replaced", Price: 6, IsInStock: true }, { etag: annots.etag }),
  );
  return { name: entity.Name, category: entity.CategoryId };
}

export async function remove() {
  const resource = await product(4);
  const stale = await done(resource.destroy({ etag: 'W/"stale"' })).then(() => null, refused);
  const { annots } = await done(resource.fetch());
  await done(resource.destroy({ etag: annots.etag }));
  return { stale, read: await done(resource.fetch()).then(() => null, refused) };
}

export const callFunction = async () => done((await opened).function("CountAbove").callProperty({ price: 50 }));
export async function callAction() {
  await done((await product(3)).action("Shop.Discount").call({ percent: 50 }));
  return (await done((await product(3)).fetch())).entity.Price;
}

const orWait = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 5000, "no response"))]);

/** Reads one entity, and saves a change and a new entity in one change set. */
export async function saveTogether(changedName, newName) {
  const batch = (await opened).batch();
  const [first, fifth, set] = [await product(1), await product(5), await products()];
  // A request is in the batch if it is made and subscribed within `add`.
  const answers = batch.add(() =>
    [
      first.fetch(),
      fifth.modify({ Name: changedName }, { etag: "*" }),
      set.create({ Name: newName, Price: 1, IsInStock: true }),
    ].map((part) => done(part).then(({ entity }) => entity.Name, refused)),
  );
  await done(batch.send());
  return Promise.all(answers.map(orWait));
}
