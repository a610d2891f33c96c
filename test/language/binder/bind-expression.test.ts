import { describe, expect, test } from "vitest";
import { bindCollection, errorOf } from "./requests.ts";
import { parameterSummary, summary } from "./summary.ts";

function filter(text: string): string {
  const { shape } = bindCollection(`$filter=${text}`);
  return shape.filter === null ? "" : summary(shape.filter.expression);
}

describe("$filter binds to", () => {
  test.each([
    // Properties and paths.
    ["Active", "Active"],
    ["$it/Active", "Active"],
    ["active", "Active"],
    ["constructor eq 'x'", "(constructor eq ?0:String):String"],
    ["Address/City eq 'Bonn'", "(Address/City eq ?0:String):String"],
    ["$it/Address/Location/Latitude gt 50.5", "(Address/Location/Latitude gt ?0:Double):Double"],
    ["ADDRESS/city eq 'Bonn'", "(Address/City eq ?0:String):String"],
    ["Tags/$count gt 2", "(Tags/$count gt ?0:Int64):Int64"],
    ["Address/Phones/$count eq 0", "(Address/Phones/$count eq ?0:Int64):Int64"],
    ["Places/$count eq 0", "(Places/$count eq ?0:Int64):Int64"],
    // Lambda operators and their variables, numbered from the outermost.
    ["Tags/any(t:t eq 'x')", "Tags/any(#0: (#0 eq ?0:String):String)"],
    ["Tags/any( t : t eq 'x' )", "Tags/any(#0: (#0 eq ?0:String):String)"],
    ["Tags/any()", "Tags/any()"],
    ["Tags/ANY()", "Tags/any()"],
    ["$it/tags/all(Tags:Tags ne null)", "Tags/all(#0: (#0 ne null:String):String)"],
    ["Tags/any(t:Name eq t)", "Tags/any(#0: (Name eq #0):String)"],
    ["Tags/any(t:$it/Name eq t)", "Tags/any(#0: (Name eq #0):String)"],
    ["Tags/any(Name:Name eq $it/Name)", "Tags/any(#0: (#0 eq Name):String)"],
    ["Address/Phones/any(p:true)", "Address/Phones/any(#0: ?0:Boolean)"],
    [
      "Places/any(p:p/City eq 'x' and p/Location ne null)",
      "Places/any(#0: ((#0/City eq ?0:String):String and (#0/Location ne null):Geo))",
    ],
    ["Places/any(p:p eq null)", "Places/any(#0: (#0 eq null):Address)"],
    ["Places/all(p:p/Phones/any(q:q eq p/City))", "Places/all(#0: #0/Phones/any(#1: (#1 eq #0/City):String))"],
    ["Places/any(p:p/Phones/$count gt 1)", "Places/any(#0: (#0/Phones/$count gt ?0:Int64):Int64)"],
    [
      "Places/any(x:x/Phones/any(x:x eq 'a') and x/City eq 'b')",
      "Places/any(#0: (#0/Phones/any(#1: (#1 eq ?0:String):String) and (#0/City eq ?1:String):String))",
    ],
    [
      "Tags/any(a:Tags/any(b:a lt b)) and Tags/all(c:c eq 'x')",
      "(Tags/any(#0: Tags/any(#1: (#0 lt #1):String)) and Tags/all(#0: (#0 eq ?0:String):String))",
    ],
    ["not Tags/any(t:contains(t,'x'))", "not(Tags/any(#0: contains(#0,?0:String):Boolean))"],
    ["Tags/any(t:t eq 'x') eq true", "(Tags/any(#0: (#0 eq ?0:String):String) eq ?1:Boolean):Boolean"],
    ["Tags/any(t:t in ('a','b'))", "Tags/any(#0: (#0 in ?0:String,?1:String))"],
    // in with a collection.
    ["'a' in Tags", "Tags/any(#0: (?0:String eq #0):String)"],
    ["null in Tags", "Tags/any(#0: (null:String eq #0):String)"],
    ["tolower(Name) in $it/Tags", "Tags/any(#0: (tolower(Name):String eq #0):String)"],
    ["Places/any(p:p/City in p/Phones)", "Places/any(#0: #0/Phones/any(#1: (#0/City eq #1):String))"],
    ["Tags/any(t:t in Address/Phones)", "Tags/any(#0: Address/Phones/any(#1: (#0 eq #1):String))"],
    // Casts.
    ["cast(Price,Edm.String) eq 'x'", "(cast(Price):String eq ?0:String):String"],
    ["cast(Price,'Edm.String') eq 'x'", "(cast(Price):String eq ?0:String):String"],
    ["CAST( Price , 'Edm.String' ) eq 'x'", "(cast(Price):String eq ?0:String):String"],
    [
      "contains(tolower(cast(Price,'Edm.String')),'5')",
      "contains(tolower(cast(Price):String):String,?0:String):Boolean",
    ],
    ["cast(Name,Edm.String) eq 'x'", "(Name eq ?0:String):String"],
    ["cast('5',Edm.Int32) eq 5", "(cast(?0:String):Int32 eq ?1:Int32):Int32"],
    ["cast(5,Edm.Int64) eq 5", "(?0:Int64 eq ?1:Int64):Int64"],
    ["cast(null,Edm.Int64) eq null", "(null eq null):null"],
    ["cast(Tags/$count,Edm.Decimal) gt 1", "(Decimal(Tags/$count) gt ?0:Decimal):Decimal"],
    ["cast(Tags/$count,Edm.Byte) gt 1", "(Int32(cast(Tags/$count):Byte) gt ?0:Int32):Int32"],
    ["Tags/any(t:cast(t,Edm.Int32) eq 1)", "Tags/any(#0: (cast(#0):Int32 eq ?0:Int32):Int32)"],
    ["isof(Name,Edm.String)", "(Name ne null:String):String"],
    ["isof(Name,'Edm.Int32')", "(cast(Name):Int32 ne null:Int32):Int32"],
    ["isof(Address,Shop.Address)", "(Address ne null):Address"],
    ["cast(Address,Shop.Address) eq null", "(Address eq null):Address"],
    ["cast(Name,Edm.Boolean)", "cast(Name):Boolean"],
    // Null.
    ["Name eq null", "(Name eq null:String):String"],
    ["null ne Name", "(null:String ne Name):String"],
    ["null eq null", "(null eq null):null"],
    ["Address eq null", "(Address eq null):Address"],
    ["null ne Address/Location", "(Address/Location ne null):Geo"],
    ["null", "null:Boolean"],
    ["not null", "not(null:Boolean)"],
    ["Price gt null", "(Price gt null:Decimal):Decimal"],
    ["5 gt null", "(?0:Int32 gt null:Int32):Int32"],
    // Logic.
    ["Active and not Boolean or true", "((Active and not(Boolean)) or ?0:Boolean)"],
    ["contains(Name,'a') eq true", "(contains(Name,?0:String):Boolean eq ?1:Boolean):Boolean"],
    ["(Active or Boolean) eq true", "((Active or Boolean) eq ?0:Boolean):Boolean"],
    ["Active gt false", "(Active gt ?0:Boolean):Boolean"],
    ["((Active))", "Active"],
    // Literals get the type of the other operand.
    ["Price gt 5", "(Price gt ?0:Decimal):Decimal"],
    ["5 lt Price", "(?0:Decimal lt Price):Decimal"],
    ["Int64 eq 5", "(Int64 eq ?0:Int64):Int64"],
    ["Double eq 5", "(Double eq ?0:Double):Double"],
    ["Double eq 5.5", "(Double eq ?0:Double):Double"],
    ["Single eq 0.1", "(Single eq ?0:Single):Single"],
    ["Int32 eq 3000000000", "(Int64(Int32) eq ?0:Int64):Int64"],
    ["Int32 eq 5.5", "(Decimal(Int32) eq ?0:Decimal):Decimal"],
    ["Int32 eq 5e0", "(Double(Int32) eq ?0:Double):Double"],
    ["Byte eq 300", "(Int32(Byte) eq ?0:Int32):Int32"],
    ["Int64 eq 5L", "(Int64 eq ?0:Int64):Int64"],
    ["Price eq 0m", "(Price eq ?0:Decimal):Decimal"],
    ["Double eq INF", "(Double eq ?0:Double):Double"],
    ["1 eq 1.0", "(?0:Decimal eq ?1:Decimal):Decimal"],
    ["Color eq 'Red'", "(Color eq ?0:Color):Color"],
    ["'Red' eq Color", "(?0:Color eq Color):Color"],
    ["Color eq Shop.Color'Red'", "(Color eq ?0:Color):Color"],
    ["Color gt Shop.Color'Red'", "(Color gt ?0:Color):Color"],
    ["Shop.Color'Red' eq Shop.Color'Red'", "(?0:Color eq ?1:Color):Color"],
    ["Guid eq 01234567-89ab-cdef-0123-456789abcdef", "(Guid eq ?0:Guid):Guid"],
    ["Binary eq binary'T0RhdGE'", "(Binary eq ?0:Binary):Binary"],
    ["TimeOfDay ge 12:30:00", "(TimeOfDay ge ?0:TimeOfDay):TimeOfDay"],
    ["Duration lt duration'PT1H'", "(Duration lt ?0:Duration):Duration"],
    // Dates and instants.
    ["Date eq 2024-01-31", "(Date eq ?0:Date):Date"],
    ["Date eq '2024-01-31'", "(Date eq ?0:Date):Date"],
    ["DateTimeOffset eq '2024-01-31'", "(DateTimeOffset eq ?0:DateTimeOffset):DateTimeOffset"],
    ["not Price gt 5", "not((Price gt ?0:Decimal):Decimal)"],
    ["not Active eq true", "(not(Active) eq ?0:Boolean):Boolean"],
    ["not Price add 1 gt 5 and Active", "(not(((Price add ?0:Decimal):Decimal gt ?1:Decimal):Decimal) and Active)"],
    ["not Price gt 5 eq true", "(not((Price gt ?0:Decimal):Decimal) eq ?1:Boolean):Boolean"],
    ["not Price in (1,2)", "not((Price in ?0:Decimal,?1:Decimal))"],
    ["not not Price gt 5", "not(not((Price gt ?0:Decimal):Decimal))"],
    ["not not not Price add 1 gt 5", "not(not(not(((Price add ?0:Decimal):Decimal gt ?1:Decimal):Decimal)))"],
    ["not not Price in (1,2)", "not(not((Price in ?0:Decimal,?1:Decimal)))"],
    ["not not Active eq true", "(not(not(Active)) eq ?0:Boolean):Boolean"],
    ["not not (Price gt 5) eq true", "(not(not((Price gt ?0:Decimal):Decimal)) eq ?1:Boolean):Boolean"],
    ["Date eq 2024-01-31T00:00:00Z", "(DateTimeOffset(Date) eq ?0:DateTimeOffset):DateTimeOffset"],
    ["DateTimeOffset gt 2024-01-31", "(DateTimeOffset gt ?0:DateTimeOffset):DateTimeOffset"],
    ["Date lt DateTimeOffset", "(DateTimeOffset(Date) lt DateTimeOffset):DateTimeOffset"],
    // Numeric promotion between properties.
    ["Byte eq SByte", "(Int16(Byte) eq Int16(SByte)):Int16"],
    ["Byte lt Int16", "(Int16(Byte) lt Int16):Int16"],
    ["Int32 eq Int64", "(Int64(Int32) eq Int64):Int64"],
    ["Int64 eq Decimal", "(Decimal(Int64) eq Decimal):Decimal"],
    ["Decimal eq Single", "(Single(Decimal) eq Single):Single"],
    ["Single eq Double", "(Double(Single) eq Double):Double"],
    ["Decimal eq Double", "(Double(Decimal) eq Double):Double"],
    // Arithmetic.
    ["Int32 add 1 gt 5", "((Int64(Int32) add ?0:Int64):Int64 gt ?1:Int64):Int64"],
    ["Byte mul Byte gt 5", "((Int64(Byte) mul Int64(Byte)):Int64 gt ?0:Int64):Int64"],
    ["5 div 2 eq 2", "((?0:Int64 div ?1:Int64):Int64 eq ?2:Int64):Int64"],
    ["Int32 div 2.0 gt 1", "((Decimal(Int32) div ?0:Decimal):Decimal gt ?1:Decimal):Decimal"],
    ["Price mul Double gt 1", "((Double(Price) mul Double):Double gt ?0:Double):Double"],
    ["Single sub Int64 gt 1", "((Single sub Single(Int64)):Single gt ?0:Single):Single"],
    ["-Price lt 0", "(-(Price):Decimal lt ?0:Decimal):Decimal"],
    ["-Int32 lt 0", "(-(Int64(Int32)):Int64 lt ?0:Int64):Int64"],
    ["-Duration lt duration'PT0S'", "(-(Duration):Duration lt ?0:Duration):Duration"],
    ["-null eq 5", "(-(null:Int64):Int64 eq ?0:Int64):Int64"],
    ["Price add null eq null", "((Price add null:Decimal):Decimal eq null:Decimal):Decimal"],
    ["null add null eq null", "((null:Int64 add null:Int64):Int64 eq null:Int64):Int64"],
    [
      "DateTimeOffset add duration'PT1H' gt now()",
      "((DateTimeOffset add ?0:Duration):DateTimeOffset gt now():DateTimeOffset):DateTimeOffset",
    ],
    [
      "duration'PT1H' add DateTimeOffset gt now()",
      "((DateTimeOffset add ?0:Duration):DateTimeOffset gt now():DateTimeOffset):DateTimeOffset",
    ],
    [
      "DateTimeOffset sub DateTimeOffset gt Duration",
      "((DateTimeOffset sub DateTimeOffset):Duration gt Duration):Duration",
    ],
    [
      "DateTimeOffset sub Date gt Duration",
      "((DateTimeOffset sub DateTimeOffset(Date)):Duration gt Duration):Duration",
    ],
    ["Date sub 2024-01-01 gt Duration", "((Date sub ?0:Date):Duration gt Duration):Duration"],
    ["Date sub Duration gt 2024-01-01", "((Date sub Duration):Date gt ?0:Date):Date"],
    [
      "DateTimeOffset add null eq null",
      "((DateTimeOffset add null:Duration):DateTimeOffset eq null:DateTimeOffset):DateTimeOffset",
    ],
    ["Duration add Duration gt Duration", "((Duration add Duration):Duration gt Duration):Duration"],
    ["Duration mul 2 gt Duration", "((Duration mul ?0:Decimal):Duration gt Duration):Duration"],
    ["2 mul Duration gt Duration", "((Duration mul ?0:Decimal):Duration gt Duration):Duration"],
    ["Duration div Single gt Duration", "((Duration div Double(Single)):Duration gt Duration):Duration"],
    ["Duration mul null eq null", "((Duration mul null:Decimal):Duration eq null:Duration):Duration"],
    // Functions.
    ["length(Name) eq 5", "(length(Name):Int32 eq ?0:Int32):Int32"],
    ["StartsWith(Name,'a')", "startswith(Name,?0:String):Boolean"],
    ["contains(Name,null)", "contains(Name,null:String):Boolean"],
    ["substring(Name,1) eq 'x'", "(substring(Name,?0:Int32):String eq ?1:String):String"],
    [
      "substring(Name,1,length(Name) sub 1) eq 'x'",
      "(substring(Name,?1:Int32,Int32((Int64(length(Name):Int32) sub ?0:Int64):Int64)):String eq ?2:String):String",
    ],
    ["year(Date) eq 2024", "(year(Date):Int32 eq ?0:Int32):Int32"],
    ["year(DateTimeOffset) eq 2024", "(year(DateTimeOffset):Int32 eq ?0:Int32):Int32"],
    ["hour(TimeOfDay) eq 1", "(hour(TimeOfDay):Int32 eq ?0:Int32):Int32"],
    ["round(Int32) eq 5", "(round(Decimal(Int32)):Decimal eq ?0:Decimal):Decimal"],
    ["round(Single) eq 5", "(round(Double(Single)):Double eq ?0:Double):Double"],
    ["floor(2.5) eq 2", "(floor(?0:Decimal):Decimal eq ?1:Decimal):Decimal"],
    ["date(DateTimeOffset) eq Date", "(date(DateTimeOffset):Date eq Date):Date"],
    ["fractionalseconds(TimeOfDay) lt 0.5", "(fractionalseconds(TimeOfDay):Decimal lt ?0:Decimal):Decimal"],
    [
      "concat(concat(Name,', '),Address/City) eq 'a'",
      "(concat(concat(Name,?0:String):String,Address/City):String eq ?1:String):String",
    ],
    // in and has.
    ["Int32 in (1,2)", "(Int32 in ?0:Int32,?1:Int32)"],
    ["Name in ('a',null)", "(Name in ?0:String,null:String)"],
    ["Int32 in (1,2.5)", "(Decimal(Int32) in ?0:Decimal,?1:Decimal)"],
    ["Color in ('Red','Blue')", "(Color in ?0:Color,?1:Color)"],
    ["null in (1,null)", "(null:Int32 in ?0:Int32,null:Int32)"],
    ["null in (null)", "(null in null)"],
    ["Int32 in @p&@p=[]", "(Int32 in )"],
    ["'Red' in @p&@p=['Red',null]", "(?0:String in ?1:String,null:String)"],
    ["Date in (2024-01-01,2024-01-01T00:00:00Z)", "(DateTimeOffset(Date) in ?0:DateTimeOffset,?1:DateTimeOffset)"],
    ["Access has Shop.Access'Read,Write'", "(Access has ?0:Access)"],
    ["Access has 'Read'", "(Access has ?0:Access)"],
    ["Access has Access", "(Access has Access)"],
    ["Access has null", "(Access has null:Access)"],
    ["Color has Shop.Color'Green'", "(Color has ?0:Color)"],
    // Parameter aliases.
    ["Name eq @p&@p='a'", "(Name eq ?0:String):String"],
    ["Name eq @p", "(Name eq null:String):String"],
    ["Int32 in @p&@p=[1,2]", "(Int32 in ?0:Int32,?1:Int32)"],
    ["Price gt @p and Double lt @p&@p=5", "((Price gt ?0:Decimal):Decimal and (Double lt ?1:Double):Double)"],
  ])("%s", (text, bound) => {
    expect(filter(text)).toBe(bound);
  });
});

describe("$orderby binds to", () => {
  test.each([
    ["Name", "Name"],
    ["name desc,Price", "Name desc, Price"],
    ["Address/City,$it/Active desc", "Address/City, Active desc"],
    ["length(Name) desc,Tags/$count", "length(Name):Int32 desc, Tags/$count"],
    ["Price gt 5,Color", "(Price gt ?0:Decimal):Decimal, Color"],
    ["1", "?0:Int32"],
  ])("%s", (text, bound) => {
    const { orderBy } = bindCollection(`$orderby=${text}`).shape;
    const items = orderBy.map(({ expression, descending }) => summary(expression) + (descending ? " desc" : ""));
    expect(items.join(", ")).toBe(bound);
  });
});

test.each([
  ["$filter=Price gt 5 and Int32 div 2 eq 1", ["0:Decimal", "1:Int64!", "2:Int64"]],
  ["$filter=Price mod 2.0 gt 0", ["0:Decimal!", "1:Decimal"]],
  ["$filter=Double div 0 gt 0", ["0:Double", "1:Double"]],
  ["$filter=Duration div 2 gt Duration", ["0:Decimal!"]],
  ["$filter=Name eq 'a'&$orderby=Int32 div 3", ["0:String", "1:Int64!"]],
])("the parameters of %s", (query, parameters) => {
  expect(parameterSummary(bindCollection(query).shape.parameters)).toEqual(parameters);
});

const INVALID = "InvalidQueryOption";
const UNSUPPORTED = "UnsupportedQueryOption";

describe("$filter refuses", () => {
  test.each([
    // Incompatible types.
    [
      "Name eq 1",
      INVALID,
      "at position 5: 'eq' cannot compare Edm.String with Edm.Int32. \"1\" is written as Edm.Int32 where Edm.String is expected: write '1'.",
    ],
    [
      "1 eq Name",
      INVALID,
      "at position 2: 'eq' cannot compare Edm.Int32 with Edm.String. \"1\" is written as Edm.Int32 where Edm.String is expected: write '1'.",
    ],
    [
      "Price lt 'x'",
      INVALID,
      "at position 6: 'lt' cannot compare Edm.Decimal with Edm.String. \"x\" is written as Edm.String where Edm.Decimal is expected: write a number such as 1.5.",
    ],
    [
      "Name eq 2024-01-15",
      INVALID,
      "at position 5: 'eq' cannot compare Edm.String with Edm.Date. \"2024-01-15\" is written as Edm.Date where Edm.String is expected: write '2024-01-15'.",
    ],
    ["Name eq Price", INVALID, "at position 5: 'eq' cannot compare Edm.String with Edm.Decimal."],
    [
      "Guid eq 'x'",
      INVALID,
      'at position 8: "x" is not an Edm.Guid: write 32 hexadecimal digits as 01234567-89ab-cdef-0123-456789abcdef.',
    ],
    [
      "Color eq 1",
      INVALID,
      "at position 6: 'eq' cannot compare Shop.Color with Edm.Int32. \"1\" is written as Edm.Int32 where Shop.Color is expected: write Shop.Color'Green'.",
    ],
    ["Color eq Name", INVALID, "at position 6: 'eq' cannot compare Shop.Color with Edm.String."],
    [
      "Color eq Shop.Access'Read'",
      INVALID,
      "at position 6: 'eq' cannot compare Shop.Color with Shop.Access. \"Read\" is written as Shop.Access where Shop.Color is expected: write Shop.Color'Red' or 'Red'.",
    ],
    [
      "Color eq Shop.Colour'Red'",
      INVALID,
      "at position 9: Unknown enumeration type 'Shop.Colour'. Did you mean 'Shop.Color'?",
    ],
    [
      "Tags eq null",
      INVALID,
      "at position 5: 'eq' cannot compare Collection(Edm.String) with null. Compare '/$count' of the collection, or its items within 'any(…)' or 'all(…)'.",
    ],
    [
      "Address gt null",
      INVALID,
      "at position 8: 'gt' cannot compare Shop.Address with null. Compare its properties one by one.",
    ],
    [
      "Address eq Address",
      INVALID,
      "at position 8: 'eq' cannot compare Shop.Address with Shop.Address. Compare its properties one by one.",
    ],
    [
      "$it eq null",
      INVALID,
      "at position 4: 'eq' cannot compare Shop.Product with null. Compare its properties one by one.",
    ],
    [
      "Address eq 5",
      INVALID,
      "at position 8: 'eq' cannot compare Shop.Address with Edm.Int32. Compare its properties one by one.",
    ],
    // Boolean operands.
    ["Price", INVALID, "at position 0: $filter takes a Boolean expression such as 'Name eq value', not Edm.Decimal."],
    ["'x'", INVALID, "at position 0: $filter takes a Boolean expression such as 'Name eq value', not Edm.String."],
    ["$it", INVALID, "at position 0: $filter takes a Boolean expression such as 'Name eq value', not Shop.Product."],
    [
      "Active and Name",
      INVALID,
      "at position 11: 'and' takes a Boolean expression such as 'Name eq value', not Edm.String.",
    ],
    [
      "not Price add 5",
      INVALID,
      "at position 4: 'not' takes a Boolean expression such as 'Name eq value', not Edm.Decimal. Put its operand in parentheses: not (…).",
    ],
    [
      "not (not Price) gt 5",
      INVALID,
      "at position 9: 'not' takes a Boolean expression such as 'Name eq value', not Edm.Decimal. Put its operand in parentheses: not (…).",
    ],
    [
      "(not Price) gt 5",
      INVALID,
      "at position 5: 'not' takes a Boolean expression such as 'Name eq value', not Edm.Decimal. Put its operand in parentheses: not (…).",
    ],
    [
      "not Name gt 5",
      INVALID,
      "at position 9: 'gt' cannot compare Edm.String with Edm.Int32. \"5\" is written as Edm.Int32 where Edm.String is expected: write '5'.",
    ],
    // Values without quotes, and paths with points.
    [
      "Name eq placed",
      INVALID,
      "at position 8: 'Product' has no property 'placed'. Did you mean 'Places'? To compare with a text, write 'placed'.",
    ],
    ["Price eq placed", INVALID, "at position 9: 'Product' has no property 'placed'. Did you mean 'Places'?"],
    ["Color eq red", INVALID, "at position 9: 'red' is no property. Put the member in quotes: 'Red'."],
    ["red ne Color", INVALID, "at position 0: 'red' is no property. Put the member in quotes: 'Red'."],
    ["Color in (blue)", INVALID, "at position 10: 'blue' is no property. Put the member in quotes: 'Blue'."],
    ["Color has red", INVALID, "at position 10: 'red' is no property. Put the member in quotes: 'Red'."],
    [
      "placed eq Name",
      INVALID,
      "at position 0: 'Product' has no property 'placed'. Did you mean 'Places'? To compare with a text, write 'placed'.",
    ],
    ["placed eq sent", INVALID, "at position 0: 'Product' has no property 'placed'. Did you mean 'Places'?"],
    [
      "Color eq rde",
      INVALID,
      "at position 9: 'Product' has no property 'rde'. Put a member in quotes: 'Red', 'Green', 'Blue'.",
    ],
    [
      "rde eq Color",
      INVALID,
      "at position 0: 'Product' has no property 'rde'. Put a member in quotes: 'Red', 'Green', 'Blue'.",
    ],
    [
      "Address.City.contains('x')",
      INVALID,
      "at position 0: There is no function 'Address.City.contains'. Write contains(Address/City,…).",
    ],
    [
      "Address.Length eq 5",
      INVALID,
      "at position 0: There is no type 'Address.Length'. Write a path with slashes: Address/Length.",
    ],
    ["Shop.contains('x')", UNSUPPORTED, "at position 0: Type casts are not supported in $filter."],
    [
      "Address.City eq 'x'",
      INVALID,
      "at position 0: There is no type 'Address.City'. Write a path with slashes: Address/City.",
    ],
    // Arithmetic.
    ["Name add 1 eq 2", INVALID, "at position 5: 'add' cannot take Edm.String and Edm.Int32."],
    ["Tags add 1 eq 2", INVALID, "at position 5: 'add' cannot take Collection(Edm.String) and Edm.Int32."],
    ["1 sub DateTimeOffset eq 2", INVALID, "at position 2: 'sub' cannot take Edm.Int32 and Edm.DateTimeOffset."],
    ["Duration mod 2 eq null", INVALID, "at position 9: 'mod' cannot take Edm.Duration and Edm.Int32."],
    ["2 div Duration eq null", INVALID, "at position 2: 'div' cannot take Edm.Int32 and Edm.Duration."],
    ["Duration mul 'x' eq null", INVALID, "at position 9: 'mul' cannot take Edm.Duration and Edm.String."],
    [
      "DateTimeOffset add DateTimeOffset eq null",
      INVALID,
      "at position 15: 'add' cannot take Edm.DateTimeOffset and Edm.DateTimeOffset.",
    ],
    ["Color add 1 eq 1", INVALID, "at position 6: 'add' cannot take Shop.Color and Edm.Int32."],
    ["Name mod null eq 1", INVALID, "at position 5: 'mod' cannot take Edm.String and null."],
    ["-Name eq 1", INVALID, "at position 0: '-' must precede a number or a duration, not Edm.String."],
    ["-Tags eq 1", INVALID, "at position 0: '-' must precede a number or a duration, not Collection(Edm.String)."],
    // Functions.
    [
      "year(Name) eq 1",
      INVALID,
      "at position 0: 'year' cannot take (Edm.String): write year(Edm.DateTimeOffset) or year(Edm.Date).",
    ],
    [
      "hour(Date) eq 1",
      INVALID,
      "at position 0: 'hour' cannot take (Edm.Date): write hour(Edm.DateTimeOffset) or hour(Edm.TimeOfDay).",
    ],
    [
      "contains(Name)",
      INVALID,
      "at position 0: 'contains' takes 2 arguments, not 1: contains(Edm.String, Edm.String).",
    ],
    ["length() eq 1", INVALID, "at position 0: 'length' takes 1 argument, not 0: length(Edm.String)."],
    [
      "substring(Name) eq 'x'",
      INVALID,
      "at position 0: 'substring' takes 2 or 3 arguments, not 1: substring(Edm.String, Edm.Int32) or substring(Edm.String, Edm.Int32, Edm.Int32).",
    ],
    [
      "substring(Name,1.5) eq 'x'",
      INVALID,
      "at position 0: 'substring' cannot take (Edm.String, Edm.Decimal): write substring(Edm.String, Edm.Int32) or substring(Edm.String, Edm.Int32, Edm.Int32).",
    ],
    [
      "contains(Tags,'x')",
      INVALID,
      "at position 0: 'contains' cannot take (Collection(Edm.String), Edm.String): write contains(Edm.String, Edm.String).",
    ],
    [
      "round(Name) eq 1",
      INVALID,
      "at position 0: 'round' cannot take (Edm.String): write round(Edm.Decimal) or round(Edm.Double).",
    ],
    [
      "round(null,null) eq 1",
      INVALID,
      "at position 0: 'round' takes 1 argument, not 2: round(Edm.Decimal) or round(Edm.Double).",
    ],
    // in and has.
    [
      "Int32 in ('a')",
      INVALID,
      "at position 10: 'in' cannot compare Edm.Int32 with Edm.String. \"a\" is written as Edm.String where Edm.Int32 is expected: write a number such as 5.",
    ],
    ["Tags in ('a')", INVALID, "at position 5: 'in' takes one value on its left, not Collection(Edm.String)."],
    ["Tags in @p&@p=[]", INVALID, "at position 5: 'in' takes one value on its left, not Collection(Edm.String)."],
    [
      "'a' in Tags/$count",
      INVALID,
      "at position 7: in is followed by a list of literals in parentheses, as in Id in (1,2).",
    ],
    ["'a' in Places", INVALID, "at position 4: 'in' cannot look for Edm.String in Collection(Shop.Address)."],
    ["5 in Tags", INVALID, undefined],
    ["Tags in Tags", INVALID, "at position 5: 'in' cannot look for Collection(Edm.String) in Collection(Edm.String)."],
    [
      "'a' in Name",
      INVALID,
      "at position 7: 'in' takes a collection or a list of values such as (1,2,3), not Edm.String.",
    ],
    ["'a' in Parts", INVALID, "at position 4: 'in' cannot look for Edm.String in Collection(Shop.Supplier)."],
    ["Name in @p", INVALID, "at position 8: The parameter alias '@p' has no value: add @p=[…] to the query."],
    [
      "Name in tolower(Name)",
      INVALID,
      "at position 8: 'in' takes a collection or a list of values such as (1,2,3), not Edm.String.",
    ],
    ["Name has 'x'", INVALID, "at position 5: 'has' must follow a property of an enumeration type, not Edm.String."],
    [
      "Tags has 'x'",
      INVALID,
      "at position 5: 'has' must follow a property of an enumeration type, not Collection(Edm.String).",
    ],
    [
      "Access has 1",
      INVALID,
      "at position 7: 'has' cannot look for Edm.Int32 in Shop.Access. \"1\" is written as Edm.Int32 where Shop.Access is expected: write Shop.Access'Read'.",
    ],
    [
      "Access has Shop.Color'Red'",
      INVALID,
      "at position 7: 'has' cannot look for Shop.Color in Shop.Access. \"Red\" is written as Shop.Color where Shop.Access is expected: write Shop.Access'Read' or 'Read'.",
    ],
    // Names.
    ["Naem eq 'x'", INVALID, "at position 0: 'Product' has no property 'Naem'. Did you mean 'Name'?"],
    ["Xyzzy eq 'x'", INVALID, "at position 0: 'Product' has no property 'Xyzzy'."],
    ["Address/Cty eq 'x'", INVALID, "at position 8: 'Address' has no property 'Cty'. Did you mean 'City'?"],
    ["Name/Length eq 1", INVALID, "at position 5: 'Length' cannot follow Edm.String, which has no properties."],
    [
      "Places/City eq 'x'",
      INVALID,
      "at position 7: '/City' cannot follow a collection: only '$count', 'any(…)' and 'all(…)' can.",
    ],
    ["Name/$count eq 1", INVALID, "at position 5: '$count' must follow a collection, not Edm.String."],
    ["@p/Name eq 1", INVALID, undefined],
    ["__proto__ eq 1", INVALID, "at position 0: 'Product' has no property '__proto__'."],
    ["toString eq 1", INVALID, "at position 0: 'Product' has no property 'toString'. Did you mean 'String'?"],
    // Unsupported constructs.
    // Lambda operators.
    ["Nothing/all(t:t eq 'x')", INVALID, "at position 0: 'Product' has no property 'Nothing'."],
    ["Name/any(t:t eq 'x')", INVALID, "at position 5: 'any' must follow a collection, not Edm.String."],
    ["Address/all(t:true)", INVALID, "at position 8: 'all' must follow a collection, not Shop.Address."],
    ["$it/any()", INVALID, "at position 4: 'any' must follow a collection, not Shop.Product."],
    [
      "Tags/any(t:t)",
      INVALID,
      "at position 11: 'any' takes a Boolean expression such as 'Name eq value', not Edm.String.",
    ],
    ["Tags/any(t:t eq 5)", INVALID, undefined],
    [
      "Tags/any(t:t/Length eq 5)",
      INVALID,
      "at position 13: 'Length' cannot follow Edm.String, which has no properties.",
    ],
    ["Tags/any(t:T eq 'x')", INVALID, "at position 11: 'Product' has no property 'T'."],
    ["Tags/any(t:t eq 'x') and t eq 'x'", INVALID, "at position 25: 'Product' has no property 't'."],
    ["Tags/any(t:t/any(u:true))", INVALID, "at position 13: 'any' must follow a collection, not Edm.String."],
    ["Tags/any(t:Tags eq t)", INVALID, undefined],
    ["Places/any(p:p eq p)", INVALID, undefined],
    ["Places/any(p:p/Nothing eq 1)", INVALID, "at position 15: 'Address' has no property 'Nothing'."],
    [
      "Places/any(p:City eq 'x')",
      INVALID,
      "at position 13: 'Product' has no property 'City'. For the item, write 'p/City'.",
    ],
    ["Tags/any", INVALID, undefined],
    [
      "Tags/any eq 'x'",
      INVALID,
      "at position 5: '/any' cannot follow a collection: only '$count', 'any(…)' and 'all(…)' can.",
    ],
    [
      "cast(Edm.String) eq 'x'",
      UNSUPPORTED,
      "at position 0: 'cast' cannot convert Shop.Product to Edm.String: it supports properties with a single value, and the entity only as Shop.Product.",
    ],
    [
      "isof(Shop.Address)",
      UNSUPPORTED,
      "at position 0: 'isof' cannot convert Shop.Product to Shop.Address: it supports properties with a single value, and the entity only as Shop.Product.",
    ],
    [
      "cast(Address,Edm.String) eq 'x'",
      UNSUPPORTED,
      "at position 0: 'cast' cannot convert Shop.Address to Edm.String: it supports properties with a single value, and its value only as Shop.Address.",
    ],
    [
      "cast(Name,Shop.Address) eq null",
      UNSUPPORTED,
      "at position 0: 'cast' cannot convert Edm.String to Shop.Address. Cast it to Edm.String.",
    ],
    [
      "cast(Name,Edm.Strin) eq 'x'",
      INVALID,
      "at position 10: There is no type 'Edm.Strin'. Did you mean 'Edm.String'?",
    ],
    ["isof(Name,Edm.Stream)", INVALID, "at position 10: There is no type 'Edm.Stream'. Did you mean 'Edm.String'?"],
    [
      "cast(Name,String) eq 'x'",
      INVALID,
      "at position 10: The last argument of 'cast' is the qualified name of a type: cast(Price,Edm.String).",
    ],
    ["cast(Name,5) eq 'x'", INVALID, undefined],
    [
      "cast() eq 'x'",
      INVALID,
      "at position 0: 'cast' takes a value and a type, not 0 arguments: cast(Price,Edm.String).",
    ],
    [
      "isof(Name,Edm.String,Edm.String)",
      INVALID,
      "at position 0: 'isof' takes a value and a type, not 3 arguments: isof(Price,Edm.String).",
    ],
    [
      "cast(Tags,Edm.String) eq 'x'",
      INVALID,
      "at position 0: 'cast' takes one value, not Collection(Edm.String): use 'cast' within 'any(…)' or 'all(…)'.",
    ],
    [
      "cast(Active,Edm.Int32) eq 1",
      UNSUPPORTED,
      "at position 0: 'cast' cannot convert Edm.Boolean to Edm.Int32. Cast it to Edm.String.",
    ],
    ["cast(Name,Edm.Int32) eq 'x'", INVALID, undefined],
    [
      `${"cast(cast(".repeat(5)}Name${",Edm.Int32),Edm.String)".repeat(5)} eq 'x'`,
      INVALID,
      "at position 5: Casts nest at most 8 levels: use fewer of them.",
    ],
    [
      "geo.distance(Name,Name) lt 5",
      UNSUPPORTED,
      "at position 0: The function 'geo.distance' is not supported in $filter.",
    ],
    ["Name eq geography'POINT(1 2)'", UNSUPPORTED, "at position 8: Geographic and geometric values are not supported."],
    ["Shop.Product/Name eq 'x'", UNSUPPORTED, "at position 0: Type casts are not supported in $filter."],
    ["Shop.IsGood(p=1)", UNSUPPORTED, "at position 0: The function 'Shop.IsGood' is not supported in $filter."],
    ["$it/Shop.IsGood()", UNSUPPORTED, "at position 4: The function 'Shop.IsGood' is not supported in $filter."],
    ["Tags('x') eq 1", UNSUPPORTED, "at position 4: Keys are not supported in $filter."],
    ["lenght('x') eq 1", INVALID, "at position 0: 'Product' has no property 'lenght'."],
    ['Name eq {"a":1}', INVALID, "at position 8: A JSON value is allowed only as an argument of a declared function."],
    ["Name eq [1,2]", INVALID, "at position 8: A list is allowed only after 'in'."],
  ])("%s", (text, code, message) => {
    const error = errorOf(() => bindCollection(`$filter=${text}`));
    expect(error).toEqual([400, code, "$filter", message === undefined ? expect.any(String) : `$filter ${message}`]);
  });
});

describe("$orderby refuses", () => {
  test.each([
    [
      "Address",
      INVALID,
      "at position 0: Entities cannot be ordered by Shop.Address: name a property with a single value.",
    ],
    [
      "Name,Tags",
      INVALID,
      "at position 5: Entities cannot be ordered by Collection(Edm.String): name a property with a single value.",
    ],
    ["$it", INVALID, "at position 0: Entities cannot be ordered by Shop.Product: name a property with a single value."],
    ["null", INVALID, "at position 0: Entities cannot be ordered by null: name a property with a single value."],
    ["Naem", INVALID, "at position 0: 'Product' has no property 'Naem'. Did you mean 'Name'?"],
  ])("%s", (text, code, message) => {
    expect(errorOf(() => bindCollection(`$orderby=${text}`))).toEqual([400, code, "$orderby", `$orderby ${message}`]);
  });
});

describe("names in camelCase", () => {
  test.each([
    ["userName eq 'x'", "(userName eq ?0:String):String"],
    ["UserName eq 'x'", "(userName eq ?0:String):String"],
    ["homeAddress/City eq 'x'", "(homeAddress/City eq ?0:String):String"],
  ])("%s", (text, bound) => {
    const { filter: clause } = bindCollection(`$filter=${text}`, { set: "People" }).shape;
    expect(clause && summary(clause.expression)).toBe(bound);
  });
});
