"""What the agents say about a run that did not go straight, English and Chinese; the form is that of `tool_reasons`."""

RUN_REASONS: dict[str, str] = {
    # why a step was not done
    "this step needs a model, and none is set": "这一步需要模型，而没有接入模型。",
    "no tool fits this step, and no model is set to reason about it": "没有合适的工具，也没有接入模型。",
    "the model did not answer": "模型没有回答。",
    "a step it needs did not succeed": "它依赖的步骤没有成功。",
    "what it builds on could not be verified": "它依据的结果未能核实。",
    "what it was built on was rejected": "它依据的结果没有通过核实。",
    "refused by the user": "被用户拒绝。",
    "{tool} needs {fields}, which the task does not say.": "{tool} 需要 {fields}，问题里没有说明。",
    "{tool} needs {fields}, which no earlier result gives.": "{tool} 需要 {fields}，前面的结果里没有。",
    "for_each needs a list; {where} is {what}": "逐项执行需要列表，而 {where} 是{what}。",
    "The same call of {tool} failed before ({kind}: {said}); it is not repeated.": (
        "{tool} 的同样调用之前已经失败（{said}），不再重复。"
    ),
    # why a result is not believed
    "nothing came back": "没有返回内容。",
    "{number} is not a number to answer with": "{number} 不是可以用来回答的数。",
    "the result reads like an error: {text}": "结果看起来是一条错误：“{text}”。",
    "the result carries an error: {text}": "结果里带有错误：“{text}”。",
    "'{text}' is not a {what}": "“{text}”不是{what}。",
    "the promised field {fields} is missing": "结果缺少约定的字段 {fields}。",
    "the tool promises {what}, this is {text}": "结果的类型与工具约定的{what}不符。",
    "the judge rejected it": "核实的模型没有认可它。",
    "not done, because nobody approved it beforehand: {tools}": "没有事先得到批准，因此没有执行：{tools}。",
    "reasoned by the model from earlier results": "由模型根据前面的结果推断。",
    "reasoned by the model without a tool: unverified": "由模型直接推断，未经核实。",
    "{failed} of {all} items failed": "{all} 项中有 {failed} 项失败。",
    "{count} more left out": "还有 {count} 项没有处理。",
    # where a plainer way was taken
    "the model's plan was rejected: {said}": "模型的计划不可用：{said}。",
    "The plan has no steps to take.": "计划里没有可以执行的步骤。",
    "The plan has {count} steps; at most {most} are followed.": "计划有 {count} 步，最多执行 {most} 步。",
    "The steps {steps} wait for each other.": "步骤 {steps} 互相等待。",
    "{step}: no such tools: {tools}": "步骤 {step}：没有这些工具：{tools}。",
    "{step} was not ranked: the recall order stands": "步骤 {step} 没有得到排序，沿用检索的次序。",
    "{step} got no arguments: they are read by rules": "步骤 {step} 没有得到参数，改由规则读取。",
    "the limit of {limit} is reached": "已达到上限：{limit}。",
    "the run's time was up before the model answered": "模型回答之前，时间已经用完。",
    "{action} is not allowed now": "现在不能这样做：{action}。",
    "execute_tool came without new arguments": "要求重试，却没有给出新的参数。",
    "{model} gave nothing usable: {text}": "模型 {model} 的回答不可用（原文：“{text}”）。",
    "{model} gave an empty answer": "模型 {model} 的回答是空的。",
    "{model} wrote {length} characters; what comes after {longest} was left out": (
        "模型 {model} 写了 {length} 个字符，{longest} 个之后的没有采用。"
    ),
    "{model}: {error}ConnectionError: {text}": "无法连接模型 {model}（原文：“{text}”）。",
    "{model}: {error}TimeoutError: {text}": "模型 {model} 没有及时回答（原文：“{text}”）。",
    "{model}: AuthenticationError ({status}): {text}": "模型 {model} 不接受这个密钥（状态 {status}）。",
    "{model}: RateLimitError ({status}): {text}": "模型 {model} 的请求过于频繁（状态 {status}）。",
    "{model}: NotFoundError ({status}): {text}": "服务里没有模型 {model}（状态 {status}）。",
    "{model}: {error}Error ({status}): {text}": "模型 {model} 出错（状态 {status}，原文：“{text}”）。",
}
