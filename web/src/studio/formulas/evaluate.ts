// The value of a formula as it is printed: a small parser of + − * / ^, brackets, names and a few functions. No eval.
export type Values = Readonly<Record<string, number>>;

const FUNCTIONS: Record<string, (...x: number[]) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sqrt: Math.sqrt,
  abs: Math.abs,
  sign: Math.sign,
  exp: Math.exp,
  tanh: Math.tanh,
  atan2: Math.atan2,
  min: Math.min,
  max: Math.max,
};
const TOKEN = /\s*([A-Za-z_][A-Za-z_0-9]*|\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|\*\*|[-+*/^(),])/y;

class Reader {
  private readonly tokens: string[] = [];
  private at = 0;

  constructor(text: string, private readonly values: Values) {
    TOKEN.lastIndex = 0;
    const source = text.trim();
    while (TOKEN.lastIndex < source.length) {
      const match = TOKEN.exec(source);
      if (!match) throw new SyntaxError(`not a formula: ${text}`);
      this.tokens.push(match[1]!);
    }
  }

  whole(): number {
    const value = this.sum();
    if (this.at < this.tokens.length) throw new SyntaxError(`left over: ${this.tokens[this.at]}`);
    return value;
  }

  private take(...wanted: string[]): string | null {
    const token = this.tokens[this.at];
    if (token === undefined || !wanted.includes(token)) return null;
    this.at++;
    return token;
  }

  private sum(): number {
    let value = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      const next = this.product();
      value = sign === "+" ? value + next : value - next;
    }
    return value;
  }

  private product(): number {
    let value = this.signed();
    for (let sign = this.take("*", "/"); sign; sign = this.take("*", "/")) {
      const next = this.signed();
      value = sign === "*" ? value * next : value / next;
    }
    return value;
  }

  private signed(): number {
    if (this.take("-")) return -this.signed();
    if (this.take("+")) return this.signed();
    const base = this.atom();
    return this.take("^", "**") ? base ** this.signed() : base;
  }

  private atom(): number {
    if (this.take("(")) return this.closed(this.sum());
    const token = this.tokens[this.at++] ?? "";
    if (/^[\d.]/.test(token)) return Number(token);
    if (token in FUNCTIONS && this.take("(")) return this.called(FUNCTIONS[token]!);
    const value = this.values[token];
    if (value === undefined) throw new SyntaxError(`no value for ${token}`);
    return value;
  }

  private called(f: (...x: number[]) => number): number {
    const inputs = [this.sum()];
    while (this.take(",")) inputs.push(this.sum());
    return this.closed(f(...inputs));
  }

  private closed(value: number): number {
    if (!this.take(")")) throw new SyntaxError("a bracket is missing");
    return value;
  }
}

/** The value, or null where a name has none. */
export function evaluate(text: string, values: Values): number | null {
  try {
    return new Reader(text, values).whole();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
