import { expect, test } from "vitest";
import { createResponseMemory } from "../../src/client/http/response-memory.ts";

function entered(responseMemory: ReturnType<typeof createResponseMemory>, name: string, givenUp: string[]) {
  return responseMemory.enter(() => {
    givenUp.push(name);
  });
}

test("of responses that do not fit together the largest is given up, and the others go on", () => {
  const givenUp: string[] = [];
  const responseMemory = createResponseMemory(100);
  const small = entered(responseMemory, "small", givenUp);
  const large = entered(responseMemory, "large", givenUp);
  large.grow(80);
  small.grow(20);
  expect(givenUp).toEqual([]);
  small.grow(1);
  expect(givenUp).toEqual(["large"]);
  // What still comes of it counts for nothing.
  large.grow(1000);
  large.leave();
  // Alone, it has a limit of its own elsewhere.
  small.grow(1000);
  expect(givenUp).toEqual(["large"]);
});

test("what was released is available again", () => {
  const givenUp: string[] = [];
  const responseMemory = createResponseMemory(100);
  for (let n = 0; n < 10; n++) {
    const share = entered(responseMemory, `answer ${n}`, givenUp);
    share.grow(100);
    share.leave();
  }
  expect(givenUp).toEqual([]);
});
