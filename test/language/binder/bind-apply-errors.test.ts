import { expect, test } from "vitest";
import { bindCollection, errorOf } from "./requests.ts";

const ENABLED = { applyEnabled: true, computeEnabled: true } as const;
const INVALID = "InvalidQueryOption";
const UNSUPPORTED = "UnsupportedQueryOption";

test.each<[string, string, string]>([
  [
    "groupby(Name)",
    INVALID,
    '$apply at position 8: expected a second "(": the paths have their own parentheses, as in groupby((Name),aggregate(…)), found "Name".',
  ],
  [
    "groupBy((Name),aggregate(Price with sum as T))",
    INVALID,
    '$apply at position 0: "groupBy" is not a step. Write groupby: the names of steps are in lower case.',
  ],
  ["group((Name))", INVALID, '$apply at position 0: "group" is not a step of $apply. Write groupby.'],
  [
    "Filter(Id gt 1)",
    INVALID,
    '$apply at position 0: "Filter" is not a step. Write filter: the names of steps are in lower case.',
  ],
  [
    "$filter(Id gt 1)",
    INVALID,
    '$apply at position 0: "$filter" is not a step. Write filter: the names of steps are in lower case.',
  ],
  ["where(Id gt 1)", INVALID, '$apply at position 0: "where" is not a step of $apply. Write filter.'],
  ["having(Total gt 1)", INVALID, '$apply at position 0: "having" is not a step of $apply. Write filter.'],
  [
    "nonsense(1)",
    INVALID,
    '$apply at position 0: "nonsense" is not a step of $apply. The steps are identity, filter, search, orderby, top, skip, topcount, bottomcount, topsum, bottomsum, toppercent, bottompercent, compute, aggregate, groupby, concat, join, outerjoin.',
  ],
  [
    "aggregates(Price with sum as T)",
    INVALID,
    '$apply at position 0: "aggregates" is not a step of $apply. Write aggregate.',
  ],
  [
    "min(Price)",
    INVALID,
    '$apply at position 0: "min" is not a step of $apply. Write aggregate(Price with min as Alias).',
  ],
  ["count()", INVALID, '$apply at position 0: "count" is not a step of $apply. Write aggregate($count as Count).'],
  [
    "sum(Price)",
    INVALID,
    '$apply at position 0: "sum" is not a step of $apply. Write aggregate(Price with sum as Alias).',
  ],
  ["aggregate(sum(Price))", INVALID, '$apply at position 10: "sum" is not a function. Write Price with sum as Alias.'],
  [
    "aggregate(SUM(Price) as T)",
    INVALID,
    '$apply at position 10: "SUM" is not a function. Write Price with sum as Alias.',
  ],
  [
    "aggregate(avg(Price) as T)",
    INVALID,
    '$apply at position 10: "avg" is not a function. Write Price with average as Alias.',
  ],
  ["aggregate(Price with avg as T)", INVALID, '$apply at position 21: "avg" is not a method. Write average.'],
  ["aggregate(Price with Sum as T)", INVALID, '$apply at position 21: "Sum" is not a method. Write sum.'],
  [
    "aggregate(Price with count as T)",
    INVALID,
    '$apply at position 21: "count" is not a method. Write $count as Count, without an expression.',
  ],
  [
    "aggregate(Price with distinctcount as T)",
    INVALID,
    '$apply at position 21: "distinctcount" is not a method. Write countdistinct.',
  ],
  [
    "aggregate(Price with Ns.x as T)",
    UNSUPPORTED,
    '$apply at position 21: the method "Ns.x" is not supported. The methods are sum, min, max, average, countdistinct.',
  ],
  [
    "aggregate(Price with sum)",
    INVALID,
    '$apply at position 24: expected as and a name, as in Price with sum as Total, found ")".',
  ],
  ["aggregate(Price with sum AS T)", INVALID, "$apply at position 25: write as in lower case."],
  ["aggregate(Price WITH sum as T)", INVALID, "$apply at position 16: write with in lower case."],
  [
    "aggregate(Price)",
    UNSUPPORTED,
    "$apply at position 10: custom aggregates are not supported. Write Price with sum as Alias.",
  ],
  [
    "aggregate(Price as T)",
    UNSUPPORTED,
    "$apply at position 10: custom aggregates are not supported. Write Price with sum as Alias.",
  ],
  ["aggregate(count as N)", INVALID, '$apply at position 10: "count" is not an aggregate. Write $count as Count.'],
  ["aggregate(count() as N)", INVALID, '$apply at position 10: "count" is not an aggregate. Write $count as Count.'],
  ["aggregate($count)", INVALID, '$apply at position 16: expected as and a name, as in $count as Count, found ")".'],
  ["aggregate($count with sum as N)", INVALID, "$apply at position 17: $count has no method: write $count as Count."],
  [
    "aggregate(Price with sum as $x)",
    INVALID,
    '$apply at position 28: "$x" cannot be an alias: an alias is a letter or underscore, then letters, digits and underscores, at most 128, and not __proto__.',
  ],
  [
    "aggregate(Price with sum as A.B)",
    INVALID,
    '$apply at position 28: "A.B" cannot be an alias: an alias is a letter or underscore, then letters, digits and underscores, at most 128, and not __proto__.',
  ],
  [
    "aggregate(Price with sum as __proto__)",
    INVALID,
    '$apply at position 28: "__proto__" cannot be an alias: an alias is a letter or underscore, then letters, digits and underscores, at most 128, and not __proto__.',
  ],
  ["aggregate(Price with sum as null)", INVALID, '$apply at position 28: expected a name after as, found "null".'],
  [
    "aggregate(Price with sum as T from Name)",
    INVALID,
    '$apply at position 30: expected a comma or ")", found "from".',
  ],
  [
    "aggregate(Price with sum from Name with max as T)",
    UNSUPPORTED,
    "$apply at position 25: from is not supported: write groupby and a second aggregate.",
  ],
  ["aggregate()", INVALID, '$apply at position 10: expected a property, a literal or a function, found ")".'],
  ["aggregate", INVALID, '$apply at position 9: expected "(" after aggregate, found the end.'],
  ["aggregate(Price with sum as T", INVALID, '$apply at position 29: expected a comma or ")", found the end.'],
  ["aggregate(Price with sum as T))", INVALID, '$apply at position 30: the ")" has no opening parenthesis.'],
  [
    "aggregate(Price with sum as T, Price with sum as T)",
    INVALID,
    "$apply at position 49: The rows already have the name 'T': choose another one.",
  ],
  [
    "aggregate(Price with sum as Name)",
    INVALID,
    "$apply at position 28: 'Name' is a property of 'Product': choose another name.",
  ],
  [
    "groupby((Price),aggregate(Price with sum as Price))",
    INVALID,
    "$apply at position 44: The rows already have the name 'Price': choose another one.",
  ],
  [
    "aggregate(Name with sum as T)",
    INVALID,
    "$apply at position 10: 'sum' cannot take Edm.String: it takes numbers and Edm.Duration. Write min, max or countdistinct.",
  ],
  [
    "aggregate(Active with sum as T)",
    INVALID,
    "$apply at position 10: 'sum' cannot take Edm.Boolean: it takes numbers and Edm.Duration. Write countdistinct.",
  ],
  [
    "aggregate(Active with max as T)",
    INVALID,
    "$apply at position 10: 'max' cannot take Edm.Boolean: it takes numbers, Edm.String, dates, times, Edm.Duration and enumerations without flags. Write countdistinct.",
  ],
  [
    "aggregate(Guid with average as T)",
    INVALID,
    "$apply at position 10: 'average' cannot take Edm.Guid: it takes numbers and Edm.Duration. Write countdistinct.",
  ],
  [
    "aggregate(Access with max as T)",
    INVALID,
    "$apply at position 10: 'max' cannot take Shop.Access: it takes numbers, Edm.String, dates, times, Edm.Duration and enumerations without flags. Write countdistinct.",
  ],
  [
    "aggregate(Address with max as T)",
    INVALID,
    "$apply at position 10: 'max' cannot take Shop.Address: it takes numbers, Edm.String, dates, times, Edm.Duration and enumerations without flags.",
  ],
  [
    "aggregate(Tags with max as T)",
    INVALID,
    "$apply at position 10: 'max' cannot take Collection(Edm.String): it takes numbers, Edm.String, dates, times, Edm.Duration and enumerations without flags.",
  ],
  [
    "aggregate(null with max as T)",
    INVALID,
    "$apply at position 10: 'max' cannot take null: it takes numbers, Edm.String, dates, times, Edm.Duration and enumerations without flags.",
  ],
  [
    "aggregate(Supplier/Id with sum as T)",
    UNSUPPORTED,
    "$apply at position 10: Supplier/Id (Edm.Int32) would be aggregated once for each related entity, not once for each row, which is not supported. For one value of each row, write Supplier/Id mul 1 with sum.",
  ],
  [
    "aggregate(Supplier with countdistinct as T)",
    UNSUPPORTED,
    "$apply at position 10: 'countdistinct' cannot take Shop.Supplier: it takes single values.",
  ],
  [
    "aggregate(Parts with countdistinct as T)",
    UNSUPPORTED,
    "$apply at position 10: 'countdistinct' cannot take Collection(Shop.Supplier): it takes single values.",
  ],
  [
    "aggregate(Parts/$count with sum as T)",
    UNSUPPORTED,
    "$apply at position 16: the count of a collection takes no method. Write Lines/$count as Count.",
  ],
  [
    "aggregate(Supplier/$count as T)",
    UNSUPPORTED,
    "$apply at position 10: $count of Shop.Supplier, which is no collection, is not supported in aggregate.",
  ],
  ["aggregate(Nope with sum as T)", INVALID, "$apply at position 10: 'Product' has no property 'Nope'."],
  [
    "groupby((Name))/filter(Price gt 1)",
    INVALID,
    "$apply at position 23: 'Price' is not available behind groupby. Available: Name.",
  ],
  [
    "groupby((Name))/filter(Names eq 'x')",
    INVALID,
    "$apply at position 23: 'Names' is not available behind groupby. Did you mean 'Name'?",
  ],
  [
    "groupby((Supplier/Name))/filter(Supplier/Id gt 1)",
    INVALID,
    "$apply at position 41: 'Id' is not available behind groupby. Available: Name.",
  ],
  [
    "groupby((Name))/filter($it/Name eq 'x')",
    UNSUPPORTED,
    "$apply at position 23: '$it' is an entity of the set, which is not available behind groupby: write the name alone.",
  ],
  [
    "aggregate($count as N)/groupby((Name))",
    INVALID,
    "$apply at position 32: 'Name' is not available behind aggregate. Available: N.",
  ],
  [
    "groupby((Supplier))",
    UNSUPPORTED,
    "$apply at position 9: groupby takes paths to single values, not Shop.Supplier. Name its properties: Supplier/…",
  ],
  [
    "groupby((Address))",
    UNSUPPORTED,
    "$apply at position 9: groupby takes paths to single values, not Shop.Address. Name its properties: Address/…",
  ],
  [
    "groupby((Tags))",
    INVALID,
    "$apply at position 9: groupby takes paths to single values, not Collection(Edm.String).",
  ],
  [
    "groupby((Address/Phones))",
    INVALID,
    "$apply at position 17: groupby takes paths to single values, not Collection(Edm.String).",
  ],
  [
    "groupby((rollup(Name,Color)))",
    UNSUPPORTED,
    "$apply at position 9: rollup is not supported. The steps are identity, filter, search, orderby, top, skip, topcount, bottomcount, topsum, bottomsum, toppercent, bottompercent, compute, aggregate, groupby, concat, join, outerjoin.",
  ],
  [
    "groupby((year(Date)))",
    INVALID,
    "$apply at position 9: groupby takes paths of properties and no expressions: give the value a name first, as in compute(year(Date) as Year)/groupby((Year)).",
  ],
  [
    "groupby((month(Date)))",
    INVALID,
    "$apply at position 9: groupby takes paths of properties and no expressions: give the value a name first, as in compute(month(Date) as Month)/groupby((Month)).",
  ],
  [
    "groupby((Price add 1))",
    INVALID,
    "$apply at position 9: groupby takes paths of properties and no expressions: give the value a name first, as in compute(year(At) as Year)/groupby((Year)).",
  ],
  ["groupby(())", INVALID, '$apply at position 9: expected the name of a property, found ")".'],
  [
    "groupby((Name) aggregate($count as N))",
    INVALID,
    '$apply at position 15: expected a comma and a step, or ")", found "aggregate".',
  ],
  [
    "groupby((Name),)",
    INVALID,
    '$apply at position 15: expected a step, such as filter(…), groupby((…)) or aggregate(…), found ")".',
  ],
  [
    "groupby((Name),concat(top(1),top(2)))",
    UNSUPPORTED,
    "$apply at position 15: 'concat' within groupby is not supported.",
  ],
  ["groupby((Name),search(x))", UNSUPPORTED, "$apply at position 15: 'search' within groupby is not supported."],
  [
    "groupby((Name),skip(1)/aggregate($count as N))",
    UNSUPPORTED,
    "$apply at position 23: 'aggregate' within groupby is not supported behind 'skip' and further steps, by which a group may lose all of its rows: remove skip.",
  ],
  [
    "groupby((Name),filter(Active)/top(1)/aggregate($count as N))",
    UNSUPPORTED,
    "$apply at position 37: 'aggregate' within groupby is not supported behind 'filter' and further steps, by which a group may lose all of its rows: write filter right before aggregate, or before groupby.",
  ],
  ["groupby((Name),top(0))", INVALID, "$apply at position 19: The number of rows must be at least 1."],
  [
    "concat(top(1))",
    INVALID,
    '$apply at position 13: expected a comma and a second sequence of steps: concat(steps,steps), found ")".',
  ],
  [
    "concat(top(1),top(2))/search(a)",
    UNSUPPORTED,
    "$apply at position 22: 'search' is supported only as the first step, or behind filter.",
  ],
  [
    "concat(aggregate($count as N),groupby((Color as N)))",
    INVALID,
    '$apply at position 45: expected a comma or ")" after a path, found "as".',
  ],
  [
    "concat(aggregate(Int32 with sum as N),aggregate(Price with sum as N))",
    INVALID,
    "$apply at position 0: 'N' is Edm.Int64 in one part of concat, and Edm.Decimal in another one: give them different names.",
  ],
  ["top(-1)", INVALID, "$apply at position 4: The number of rows must be at least 0."],
  ["top(x)", INVALID, "$apply at position 4: 'top' takes a whole number, as in top(5)."],
  ["top(1.5)", INVALID, "$apply at position 4: 'top' takes a whole number, as in top(5)."],
  ["top()", INVALID, '$apply at position 4: expected a property, a literal or a function, found ")".'],
  ["top(99999999999999999999)", INVALID, "$apply at position 4: 'top' takes a whole number, as in top(5)."],
  ["topcount(0,Price)", INVALID, "$apply at position 9: The number of rows must be at least 1."],
  [
    "topcount(5)",
    INVALID,
    '$apply at position 10: expected a comma and the value that decides, as in topcount(5,Price), found ")".',
  ],
  [
    "topcount(5,Address)",
    INVALID,
    "$apply at position 11: Entities cannot be ordered by Shop.Address: name a property with a single value.",
  ],
  ["topsum(5,Name)", INVALID, "$apply at position 0: 'topsum' takes a value that is a number, as in topsum(5,Price)."],
  [
    "toppercent(Price,Price)",
    INVALID,
    "$apply at position 11: 'toppercent' takes a number, as in toppercent(5,Price).",
  ],
  [
    "join(Supplier as S)",
    UNSUPPORTED,
    "$apply at position 5: 'join' of Supplier is not supported: it takes a navigation property of the entities themselves, to an entity set.",
  ],
  [
    "Ns.Custom()",
    UNSUPPORTED,
    '$apply at position 0: the function "Ns.Custom" cannot be a step: functions of services are not supported in $apply.',
  ],
  [
    "expand(Supplier)",
    UNSUPPORTED,
    "$apply at position 0: expand is not supported. The steps are identity, filter, search, orderby, top, skip, topcount, bottomcount, topsum, bottomsum, toppercent, bottompercent, compute, aggregate, groupby, concat, join, outerjoin.",
  ],
  [
    "rollup(Name)",
    UNSUPPORTED,
    "$apply at position 0: rollup is not supported. It belongs to the paths of groupby, as in groupby((rollup(City,Name))).",
  ],
  [
    "search(a)/groupby((Name))",
    UNSUPPORTED,
    "$apply at position 0: The query option $search is not enabled for this entity set.",
  ],
  [
    "top(1)/search(a)",
    UNSUPPORTED,
    "$apply at position 7: 'search' is supported only as the first step, or behind filter.",
  ],
  [
    "compute(Price mul 2)",
    INVALID,
    '$apply at position 19: expected an operator, or as and a name, as in Price mul 2 as Double, found ")".',
  ],
  [
    "compute(Price mul 2 as Price)",
    INVALID,
    "$apply at position 23: 'Price' is a property of 'Product': choose another name.",
  ],
  ["compute(Price mul 2 as A, A add 1 as B)", INVALID, "$apply at position 26: 'Product' has no property 'A'."],
  [
    "compute(Price as A,Price as A)",
    INVALID,
    "$apply at position 28: The rows already have the name 'A': choose another one.",
  ],
  ["compute(null as X)", INVALID, "$apply at position 8: A computed value is a single value, not null."],
  ["compute(Address as X)", INVALID, "$apply at position 8: A computed value is a single value, not Shop.Address."],
  [
    "compute(Price as X)/filter(X/Y eq 1)",
    INVALID,
    "$apply at position 29: 'Y' cannot follow Edm.Decimal, which has no properties.",
  ],
  [
    "filter(Price)",
    INVALID,
    "$apply at position 7: $apply takes a Boolean expression such as 'Name eq value', not Edm.Decimal.",
  ],
  ["filter()", INVALID, '$apply at position 7: expected a property, a literal or a function, found ")".'],
  ["filter(Price gt 5", INVALID, '$apply at position 17: expected an operator or ")", found the end.'],
  ["filter Price gt 5", INVALID, '$apply at position 7: expected "(" after filter, found "Price".'],
  ["identity()", INVALID, '$apply at position 8: expected a slash and the next step, or the end, found "(".'],
  [
    "identity/",
    INVALID,
    "$apply at position 9: expected a step, such as filter(…), groupby((…)) or aggregate(…), found the end.",
  ],
  [
    "/identity",
    INVALID,
    '$apply at position 0: expected a step, such as filter(…), groupby((…)) or aggregate(…), found "/".',
  ],
  ["identity,identity", INVALID, '$apply at position 8: expected a slash and the next step, or the end, found ",".'],
  [
    "orderby(Name upward)",
    INVALID,
    '$apply at position 13: expected asc, desc, an operator, a comma or ")", found "upward".',
  ],
  ["orderby(Name asc,)", INVALID, '$apply at position 17: expected a property, a literal or a function, found ")".'],
  ["groupby((Name),aggregate($count as N)))", INVALID, '$apply at position 38: the ")" has no opening parenthesis.'],
  [
    "groupby((Name),groupby((Color),groupby((Guid),groupby((Active),groupby((Date),groupby((Int32),groupby((Int64))))))))",
    INVALID,
    "$apply at position 94: steps nest deeper than 5 levels: use fewer of groupby and concat in one another.",
  ],
  [
    "groupby((Name,Color,Guid,Active,Date,Int32,Int64,Byte,SByte,Single,Double))",
    INVALID,
    "$apply at position 67: groupby takes at most 10 paths: remove the last ones.",
  ],
  [
    "groupby((Name,Color,Guid,Active,Date,Int32),groupby((Int64,Byte,SByte,Single,Double)))",
    INVALID,
    "$apply at position 53: Rows can be grouped by at most 10 paths: remove some.",
  ],
  ["aggregate(A$)", INVALID, '$apply at position 11: found "$": only $it, $root and $count begin with it.'],
  [
    "compute(Price add Price add Price as A)/compute(A add A add A as B)/compute(B add B add B as C)/compute(C add C add C as D)/compute(D add D add D as E)/compute(E add E as F)",
    INVALID,
    "$apply at position 144: Each use of 'D' repeats its expression: together they have more than 1000 operators, names and values. Use computed names less often.",
  ],
  [
    "compute(Name as A,Id as b)/groupby((a))",
    INVALID,
    "$apply at position 36: 'Product' has no property 'a'. Did you mean 'A'? Names are case-sensitive.",
  ],
  [
    "groupby((Customer.Name))",
    INVALID,
    "$apply at position 9: 'Product' has no property 'Customer.Name'. Write a path with slashes: Customer/Name.",
  ],
  ["groupby((Shop.Product/Name))", UNSUPPORTED, "$apply at position 22: Type casts are not supported in $apply."],
  ["groupby(($it/Name))", INVALID, '$apply at position 9: expected the name of a property, found "$it".'],
  [
    "filter(Price gt 1)/filter(Price gt",
    INVALID,
    "$apply at position 34: expected a property, a literal or a function, found the end.",
  ],
  ['search("a', INVALID, '$apply at position 9: expected ")" after the text of the search, found the end.'],
  ["search()", UNSUPPORTED, "$apply at position 0: The query option $search is not enabled for this entity set."],
  ["filter(Name eq 'search(x')/top(x)", INVALID, "$apply at position 31: 'top' takes a whole number, as in top(5)."],
  [
    "skip(1)/aggregate($count as N)/filter(Name eq 'a')",
    INVALID,
    "$apply at position 38: 'Name' is not available behind aggregate. Available: N.",
  ],
  [
    "",
    INVALID,
    "$apply at position 0: expected a step, such as filter(…), groupby((…)) or aggregate(…), found the end.",
  ],
])("$apply=%s is %s", (query, code, message) => {
  const bind = (): unknown => bindCollection(`$apply=${query}`, { capabilities: ENABLED, others: ENABLED });
  expect(errorOf(bind)).toEqual([400, code, "$apply", message]);
});
