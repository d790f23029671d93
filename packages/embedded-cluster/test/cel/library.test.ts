import { expect, test } from 'vitest';
import { compileCel } from '../../src/cel/cel.ts';

function run(expression: string): unknown {
  const compiled = compileCel(expression, ['object']);
  if (!compiled.ok) return { refused: compiled.message };
  const result = compiled.program.evaluate({ object: { list: [3, 1, 2], cpu: '250m', words: ['b', 'a', 'b'] } });
  return result.ok ? result.value : { error: result.message };
}

test.each([
  ['quantity("1.5Gi").isGreaterThan(quantity("1Gi"))', true],
  ['quantity("500m") == quantity("0.5")', true],
  ['quantity("1Ki") == quantity("1024")', true],
  ['quantity("1e3") == quantity("1k")', true],
  ['quantity(object.cpu).add(quantity("750m")).asInteger()', 1n],
  ['quantity("1").sub(2).sign()', -1n],
  ['quantity("1500m").isInteger()', false],
  ['quantity("1").compareTo(quantity("2"))', -1n],
  ['isQuantity("1x") || isQuantity("") || isQuantity(".")', false],
  ['quantity("1.5").asInteger()', { error: 'cannot convert value to integer' }],
  ['object.list.isSorted()', false],
  ['[1, 2, 2].isSorted() && ["a", "b"].isSorted()', true],
  ['object.list.sum()', 6n],
  ['[0.5, 0.5].sum()', 1],
  ['object.list.min() == 1 && object.list.max() == 3', true],
  ['[].max()', { error: 'max called on empty list' }],
  ['object.words.indexOf("b") == 0 && object.words.lastIndexOf("b") == 2 && object.words.indexOf("z") == -1', true],
  ['[{"a": 1}].indexOf({"a": 1})', 0n],
  ['sets.contains([1, 2, 3], [3, 1]) && !sets.contains([1], [2])', true],
  ['sets.equivalent([1, 2, 2], [2, 1]) && sets.intersects([1, 2], [2, 3])', true],
  ['"abc 123".find("[0-9]+")', '123'],
  ['"a1b22".findAll("[0-9]+")', ['1', '22']],
  ['"a1b22".findAll("[0-9]+", 1)', ['1']],
  ['"none".find("[0-9]")', ''],
  ['matches("abc", "^a.c$")', true],
  ['"a,b,c".split(",", 2)', ['a', 'b,c']],
  ['["a", "b"].join("-")', 'a-b'],
  ['"aaa".replace("a", "b", 2)', 'bba'],
  ['"abc".reverse()', 'cba'],
  ['"abc".charAt(1)', 'b'],
  ['"%s has %d of %.1f%%, %x %b %e".format(["a", 3, 1.25, 255, 5, 1234.5])', 'a has 3 of 1.3%, ff 101 1.234500e+03'],
  ['"%s %s".format([[1, "a"], {"k": true}])', '[1, a] {k: true}'],
  ['"%d".format(["a"])', { error: 'error during formatting: no formatting function for %d' }],
  ['ip("10.0.0.1").family() == 4 && ip("::1").family() == 6', true],
  ['string(ip("2001:db8:0:0:0:0:0:1"))', '2001:db8::1'],
  ['ip("127.0.0.1").isLoopback() && ip("fe80::1").isLinkLocalUnicast() && ip("8.8.8.8").isGlobalUnicast()', true],
  ['ip("::1") == ip("0:0:0:0:0:0:0:1")', true],
  ['isIP("10.0.0.256") || isIP("01.2.3.4") || isIP("fe80::1%eth0")', false],
  ['cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsIP("11.0.0.1")', true],
  ['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && !cidr("10.1.0.0/16").containsCIDR("10.0.0.0/8")', true],
  ['string(cidr("10.1.2.3/8").masked())', '10.0.0.0/8'],
  ['cidr("fd00::/8").prefixLength()', 8n],
  ['isCIDR("10.0.0.0/33") || isCIDR("10.0.0.0")', false],
  ['url("https://a.b:80/x/y?q=1&q=2").getHost()', 'a.b:80'],
  ['url("https://[::1]:80/x").getHostname() == "::1" && url("https://a.b:80/").getPort() == "80"', true],
  ['url("https://a.b/x%20y?q=1&q=2").getEscapedPath()', '/x%20y'],
  ['url("https://a.b/?q=1&q=2").getQuery()["q"]', ['1', '2']],
  ['isURL("/path") && !isURL("no url") && !isURL("https://a:b:c/")', true],
])('%s', (expression, value) => {
  expect(run(expression)).toEqual(value);
});
