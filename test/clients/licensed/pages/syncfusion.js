import { DataManager, ODataV4Adaptor, Query } from "@syncfusion/ej2-data";

const manager = () =>
  new DataManager({ url: `${location.origin}/odata/Products`, adaptor: new ODataV4Adaptor(), crossDomain: true });

export async function list() {
  const query = new Query().where("Name", "contains", "1", true).sortByDesc("Id").page(2, 5).requiresCount();
  const { result, count } = await manager().executeQuery(query);
  return { count, names: result.map((each) => each.Name) };
}

export async function search() {
  const { result } = await manager().executeQuery(new Query().search("product 0", ["Name"]).take(20));
  return result.length;
}

export async function expand() {
  const { result } = await manager().executeQuery(
    new Query().where("Id", "equal", 3).expand("Category").select(["Id", "Name"]),
  );
  return result;
}

export async function create() {
  return manager().insert({ Name: "New", Price: 5, IsInStock: true });
}

export async function update() {
  return manager().update("Id", { Id: 2, Name: "Changed" });
}

export async function remove() {
  await manager().remove("Id", { Id: 4 });
}

export async function saveAll() {
  const changes = {
    addedRecords: [{ Name: "Added", Price: 7, IsInStock: false }],
    changedRecords: [{ Id: 5, Name: "Changed in a batch" }],
    deletedRecords: [{ Id: 6 }],
  };
  const reader = manager();
  await reader.executeQuery(new Query().take(1));
  await reader.saveChanges(changes, "Id");
}

/** Without a read before, the data manager does not know the root of the service. */
export async function saveFirst() {
  const changes = {
    addedRecords: [{ Name: "First", Price: 1, IsInStock: true }],
    changedRecords: [],
    deletedRecords: [],
  };
  await manager().saveChanges(changes, "Id", "Products");
}

/** Three pages of a list, as a grid scrolls. */
export async function grow() {
  const pages = [1, 2].map((page) => manager().executeQuery(new Query().sortBy("Id").page(page, 3).select(["Id"])));
  return (await Promise.all(pages)).flatMap(({ result }) => result.map(({ Id }) => Id));
}

/** Changes two rows in batches; another client changes the second row between read and save. */
export async function conflict() {
  const guarded = manager();
  const { result } = await guarded.executeQuery(new Query().where("Id", "equal", 8));
  const save = (Name) =>
    guarded.saveChanges({ addedRecords: [], changedRecords: [{ ...result[0], Name }], deletedRecords: [] }, "Id");
  const outcome = (promise) =>
    promise.then(
      () => "saved",
      () => "refused",
    );
  return [await outcome(save("Eight")), await outcome(save("Late"))];
}

/** The adaptor reads functions as lists, and sends the parameters of an action as an entity. */
export async function callOperations() {
  const at = (path) =>
    new DataManager({ url: `${location.origin}/odata/${path}`, adaptor: new ODataV4Adaptor(), crossDomain: true });
  const counted = await at("CountAbove(price=50)").executeQuery(new Query());
  return [counted.result, await at("Restock").insert({ categoryId: 1 })];
}
