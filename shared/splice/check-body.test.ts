import { expect, test } from 'vitest'
import { checkBody, type Surroundings } from './check-body.ts'
import { isLexError, lex } from './lexer.ts'
import { importsOf } from './use-tree.ts'

const tokens = (text: string) => {
  const result = lex(text)
  if (isLexError(result)) throw new Error(result.message)
  return result
}
const around = (parts: Partial<Surroundings> = {}): Surroundings => ({
  imports: [],
  crateImports: [],
  modules: new Set(),
  testModules: new Set(['tests']),
  handlesPaths: false,
  returnsImpl: false,
  ...parts,
})
const rules = (body: string, parts: Partial<Surroundings> = {}, reference: string | null = null) =>
  checkBody(tokens(body), around(parts), reference === null ? null : tokens(reference)).map(
    ({ rule, key }) => `${rule} ${key}`,
  )

test('names are followed to the standard library through every way to bind them', () => {
  const file = { imports: importsOf(tokens('use std::process::exit as leave; use std::{env, thread as t};')) }
  expect({
    direct: rules('{ std::process::exit(0) }'),
    leaf: rules('{ leave(1) }', file),
    module: rules('{ env::args() }', file),
    alias: rules('{ t::current() }', file),
    superModule: rules('{ super::thread::current() }'),
    renamedModule: rules('{ use super::thread as x; x::current() }'),
    leafOfAnotherFile: rules('{ crate::tools::leave(0) }', { crateImports: file.imports }),
    globOfAnotherFile: rules('{ use crate::tools::*; leave(0) }', { crateImports: file.imports }),
    ownModule: rules('{ crate::process::run() }', { modules: new Set(['process']) }),
    partlyAllowed: rules(
      '{ std::thread::scope(|s| ()); std::io::Cursor::new(1); std::process::ExitCode::SUCCESS }',
    ),
    locals: rules('{ let process = 1; let env = process; self.exit(env); x.current() }'),
  }).toEqual({
    direct: ['denied_path std::process::exit'],
    leaf: ['denied_path std::process::exit'],
    module: ['denied_path std::env::args'],
    alias: ['denied_path std::thread::current'],
    superModule: ['denied_path std::thread::current'],
    renamedModule: ['renamed_root super::thread'],
    leafOfAnotherFile: ['denied_path std::process::exit'],
    globOfAnotherFile: ['denied_path std::process::exit'],
    ownModule: [],
    partlyAllowed: [],
    locals: [],
  })
})

test('a reference body allows exactly what it does itself', () => {
  const reference = '{ unsafe { std::env::var("A") } }'
  expect(rules('{ unsafe { std::env::var("B") } }', {}, reference)).toEqual([])
  expect(rules('{ unsafe { std::env::args() } }', {}, reference)).toEqual(['denied_path std::env::args'])
  expect(rules('{ include_str!("x") }', {}, '{ include_str!("y") }')).toEqual([])
})

test('an impl is local by its type or trait in scope, not by a name alone', () => {
  expect({
    localType: rules(
      '{ struct A; impl Clone for A { fn clone(&self) -> A { A } } impl<T> From<T> for A {} impl A {} }',
    ),
    localTrait: rules(
      '{ trait T {} impl T for u8 {} impl<X> T for Vec<X> where X: Copy {} impl T for [u8; 3] {} }',
    ),
    outer: rules('{ impl Clone for Outer {} }'),
    sibling: rules('{ { struct Outer; } impl Clone for Outer {} }'),
    parameter: rules('{ struct Outer; impl<Outer> Clone for Outer {} }'),
    alias: rules('{ type A = super::Outer; impl Clone for A {} }'),
    path: rules('{ struct A; impl Clone for self::A {} }'),
    position: rules(
      '{ fn f(x: impl Fn(u8) -> u8) -> impl Iterator<Item = u8> { todo!() } let g = |x: &mut dyn Fn()| x(); }',
    ),
    lying: rules(
      '{ struct I; impl Iterator for I { type Item = u8; fn next(&mut self) -> Option<u8> { None } fn eq<J>(self, j: J) -> bool { true } } I }',
      { returnsImpl: true },
    ),
  }).toEqual({
    localType: [],
    localTrait: [],
    outer: ['non_local_impl Clone for Outer'],
    sibling: ['non_local_impl Clone for Outer'],
    parameter: ['non_local_impl Clone for Outer'],
    alias: ['non_local_impl Clone for A'],
    path: ['non_local_impl Clone for self::A'],
    position: [],
    lying: ['lying_type eq'],
  })
})

test('what else reaches out of a body has a rule of its own', () => {
  expect({
    inner: rules('{ #![allow(unused)] }'),
    attribute: rules('{ #[no_mangle] fn f() {} #[inline] fn g() {} #[derive(Clone, Serialize)] struct A; }'),
    quiet: rules('{ #[allow(non_local_definitions)] struct A; }'),
    macros: rules('{ option_env!("A"); std::include_bytes!("x"); vec![env!("B")]; a != (b) }'),
    hidden: rules('{ crate::call!(std process exit) }'),
    tests: rules('{ tests::helper(1); super::tests::table() }'),
    files: rules('{ p.exists(); p.exists(1) }', { handlesPaths: true }),
    otherFiles: rules('{ self.metadata(); record.exists() }'),
    named: rules('{ log::debug!("{}", env); bail!(process, fs) }'),
    pastedMacro: rules('{ macro_rules! m { ($e:ident) => { $e!("A") } } m!(env) }'),
    namedRoot: rules('{ go!(std, process, exit) }'),
    lines: rules('{ print!("test a::b ... ok") }'),
    keywords: rules('{ extern crate std as s; mod m {} unsafe {} union U { a: u8 } }'),
    power: rules('{ unsafe { transmute(x as *const u8) } }', {}, '{ unsafe {} }'),
    holes: rules("{ fn f<'a, 'b>(x: &'a &'b u8) {} let g: fn(_) = f; }"),
  }).toEqual({
    inner: ['inner_attribute allow'],
    attribute: ['attribute no_mangle', 'attribute derive Serialize'],
    quiet: ['attribute allow'],
    macros: ['denied_macro option_env', 'denied_macro include_bytes', 'denied_macro env'],
    hidden: ['hidden_name process'],
    tests: ['reads_tests tests', 'reads_tests tests'],
    files: ['touches_files exists'],
    otherFiles: [],
    named: [],
    pastedMacro: ['pasted_path !'],
    namedRoot: ['hidden_name process'],
    lines: ['forged_line result line'],
    keywords: ['extern extern', 'module mod', 'unsafe unsafe', 'union union'],
    power: ['unsafe_power transmute', 'unsafe_power as *'],
    holes: ['lifetime_hole fn'],
  })
})
