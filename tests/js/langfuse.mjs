// Asks a live server by Langfuse's own client and prints what it got as JSON. Driven by tests/api/test_langfuse_js.py.
import { LangfuseClient } from "@langfuse/client";

const [baseUrl, secretKey] = process.argv.slice(2);
const client = new LangfuseClient({ baseUrl, publicKey: "any", secretKey });
let asked = 0;
const plain = globalThis.fetch;
globalThis.fetch = (...given) => {
  asked += 1;
  return plain(...given);
};

const refusal = async (name, options) => {
  try {
    await client.prompt.get(name, { maxRetries: 0, ...options });
    return null;
  } catch (error) {
    return { status: error.statusCode ?? null, text: `${error.message} ${JSON.stringify(error.body ?? {})}` };
  }
};

const chat = await client.prompt.get("support/refunds/reply", { type: "chat", maxRetries: 0 });
const afterFirst = asked;
const again = await client.prompt.get("support/refunds/reply", { type: "chat", maxRetries: 0 });
const cached = asked - afterFirst;
const text = await client.prompt.get("support/say", { version: 1, maxRetries: 0 });
const staging = await client.prompt.get("support/say", { label: "staging", maxRetries: 0 });
const list = await client.api.prompts.list({ limit: 2 });

console.log(
  JSON.stringify({
    chat: {
      version: chat.version,
      config: chat.config,
      labels: chat.labels,
      tags: chat.tags,
      messages: chat.compile({ customer: "a", question: "{{7*7}} <b>?" }),
    },
    cached,
    same: again.version === chat.version,
    text: text.compile({ word: "hello & <good> bye" }),
    staging: { version: staging.version, text: staging.compile({ word: "hi" }) },
    list: { names: list.data.map((row) => row.name), total: list.meta.totalItems },
    missing: await refusal("support/say", {}),
    loop: await refusal("support/loop", { version: 1 }),
    fallback: (await client.prompt.get("support/none", { fallback: "Say {{word}}.", maxRetries: 0 })).compile({ word: "x" }),
  }),
);
await client.shutdown?.();
