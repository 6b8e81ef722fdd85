# SPDX-License-Identifier: Apache-2.0
"""The wire formats of model servers, as far as agents need them: Anthropic messages, OpenAI responses, OpenAI chat.

Each reads a request into a Question and writes an answer (a Text or a ToolCall) as one object or as streamed events.
"""
import dataclasses
import json
import uuid


@dataclasses.dataclass
class Question:
    prompt: str = ""
    results: list = dataclasses.field(default_factory=list)
    tools: dict = dataclasses.field(default_factory=dict)  # name -> JSON schema properties
    kinds: dict = dataclasses.field(default_factory=dict)  # name -> kind of tool

    def hear_prompt(self, text):
        if "RUN:" in text or not self.prompt:
            self.prompt, self.results = text, []


@dataclasses.dataclass
class Text:
    text: str


@dataclasses.dataclass
class ToolCall:
    name: str
    arguments: dict


def text_of(content):
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    return next((text_of(content[key]) for key in ("text", "content", "output") if key in content), "")


def new_id(prefix):
    return prefix + uuid.uuid4().hex[:20]


class AnthropicMessages:
    @staticmethod
    def read(body):
        question = Question()
        for message in body.get("messages", []):
            if message["role"] != "user":
                continue
            content = message.get("content")
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            results = [block for block in blocks if block.get("type") == "tool_result"]
            question.results += [text_of(block.get("content")) for block in results]
            text = text_of([block for block in blocks if block not in results])
            if not results or "RUN:" in text:  # after an interrupt, one message holds the result and the next prompt
                question.hear_prompt(text)
        for tool in body.get("tools") or []:
            if "name" in tool:
                question.tools[tool["name"]] = (tool.get("input_schema") or {}).get("properties", {})
        return question

    @staticmethod
    def whole(body, _question, said):
        if isinstance(said, ToolCall):
            block = {"type": "tool_use", "id": new_id("toolu_"), "name": said.name, "input": said.arguments}
        else:
            block = {"type": "text", "text": said.text}
        usage = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        return {"id": new_id("msg_"), "type": "message", "role": "assistant", "model": body.get("model", "fake"),
                "content": [block], "stop_reason": "tool_use" if isinstance(said, ToolCall) else "end_turn",
                "stop_sequence": None, "usage": usage}

    @classmethod
    def events(cls, body, question, said):
        message = cls.whole(body, question, said)
        block = message["content"][0]
        if isinstance(said, ToolCall):
            start, delta = dict(block, input={}), {"type": "input_json_delta", "partial_json": json.dumps(said.arguments)}
        else:
            start, delta = dict(block, text=""), {"type": "text_delta", "text": said.text}
        stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        events = [{"type": "message_start", "message": dict(message, content=[], stop_reason=None)},
                  {"type": "content_block_start", "index": 0, "content_block": start},
                  {"type": "content_block_delta", "index": 0, "delta": delta},
                  {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}},
                  {"type": "message_stop"}]
        return [(event["type"], event) for event in events]


class OpenAiResponses:
    @staticmethod
    def read(body):
        question = Question()
        items = body.get("input") or []
        if isinstance(items, str):
            items = [{"type": "message", "role": "user", "content": items}]
        for item in items:
            kind = item.get("type", "message")
            if kind == "message" and item.get("role") == "user":
                question.hear_prompt(text_of(item.get("content")))
            elif kind in ("function_call_output", "local_shell_call_output", "custom_tool_call_output"):
                question.results.append(text_of(item.get("output")))
        for tool in body.get("tools") or []:
            name = tool.get("name") or tool.get("type")
            question.tools[name] = (tool.get("parameters") or {}).get("properties", {})
            question.kinds[name] = tool.get("type")
        return question

    @staticmethod
    def _item(question, said):
        if isinstance(said, Text):
            part = {"type": "output_text", "text": said.text, "annotations": []}
            return {"type": "message", "id": new_id("msg_"), "role": "assistant", "status": "completed", "content": [part]}
        if question.kinds.get(said.name) == "local_shell":
            action = {"type": "exec", "command": ["bash", "-lc", said.arguments["command"]]}
            return {"type": "local_shell_call", "id": new_id("ls_"), "call_id": new_id("call_"), "status": "completed",
                    "action": action}
        return {"type": "function_call", "id": new_id("fc_"), "call_id": new_id("call_"), "name": said.name,
                "arguments": json.dumps(said.arguments), "status": "completed"}

    @classmethod
    def whole(cls, body, question, said):
        usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120}
        return {"id": new_id("resp_"), "object": "response", "created_at": 0, "model": body.get("model"), "status": "completed",
                "output": [cls._item(question, said)], "usage": usage}

    @classmethod
    def events(cls, body, question, said):
        done = cls.whole(body, question, said)
        item = done["output"][0]
        where = {"output_index": 0, "item_id": item["id"]}
        if isinstance(said, Text):
            part = {"type": "output_text", "text": "", "annotations": []}
            inner = [{"type": "response.output_item.added", "output_index": 0, "item": dict(item, content=[])},
                     {"type": "response.content_part.added", "content_index": 0, "part": part, **where},
                     {"type": "response.output_text.delta", "content_index": 0, "delta": said.text, **where},
                     {"type": "response.output_text.done", "content_index": 0, "text": said.text, **where}]
        else:
            arguments = item.get("arguments", "")
            inner = [{"type": "response.output_item.added", "output_index": 0, "item": dict(item, arguments="")},
                     {"type": "response.function_call_arguments.delta", "delta": arguments, **where},
                     {"type": "response.function_call_arguments.done", "arguments": arguments, **where}]
        events = [{"type": "response.created", "response": dict(done, status="in_progress", output=[])}, *inner,
                  {"type": "response.output_item.done", "output_index": 0, "item": item},
                  {"type": "response.completed", "response": done}]
        for number, event in enumerate(events):
            event["sequence_number"] = number
        return [(event["type"], event) for event in events]


class OpenAiChat:
    @staticmethod
    def read(body):
        question = Question()
        for message in body.get("messages", []):
            if message["role"] == "user":
                question.hear_prompt(text_of(message.get("content")))
            elif message["role"] == "tool":
                question.results.append(text_of(message.get("content")))
        for tool in body.get("tools") or []:
            if tool.get("type") == "function":
                function = tool["function"]
                question.tools[function["name"]] = (function.get("parameters") or {}).get("properties", {})
        return question

    @staticmethod
    def _message(said):
        if isinstance(said, Text):
            return {"role": "assistant", "content": said.text}, "stop"
        call = {"index": 0, "id": new_id("call_"), "type": "function",
                "function": {"name": said.name, "arguments": json.dumps(said.arguments)}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"

    @classmethod
    def whole(cls, body, _question, said):
        message, finish = cls._message(said)
        return {"id": new_id("chatcmpl-"), "object": "chat.completion", "created": 0, "model": body.get("model"),
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}

    @classmethod
    def events(cls, body, question, said):
        whole = cls.whole(body, question, said)
        message, finish = cls._message(said)
        base = {"id": whole["id"], "object": "chat.completion.chunk", "created": 0, "model": whole["model"]}
        chunks = [dict(base, choices=[{"index": 0, "delta": message, "finish_reason": None}]),
                  dict(base, choices=[{"index": 0, "delta": {}, "finish_reason": finish}]),
                  dict(base, choices=[], usage=whole["usage"])]
        return [(None, chunk) for chunk in chunks] + [(None, "[DONE]")]


WIRES = {"/messages": AnthropicMessages, "/responses": OpenAiResponses, "/chat/completions": OpenAiChat}
