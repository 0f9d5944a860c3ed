package io.muster.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Values that nobody means: extreme, of another type, too long, too deep. Confined to a thread. */
final class HostileValues {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final List<JsonNode> NUMBERS =
      List.of(
          JSON.numberNode(Integer.MIN_VALUE),
          JSON.numberNode(Integer.MAX_VALUE),
          JSON.numberNode(Integer.MAX_VALUE + 1L),
          JSON.numberNode(Long.MIN_VALUE),
          JSON.numberNode(Long.MAX_VALUE),
          JSON.numberNode(BigInteger.TWO.pow(63)),
          JSON.numberNode(BigInteger.TEN.pow(300)),
          JSON.numberNode(-1),
          JSON.numberNode(0),
          JSON.numberNode(1),
          JSON.numberNode(5_000),
          JSON.numberNode(1.5),
          JSON.numberNode(new BigDecimal("1e400")),
          JSON.numberNode(new BigDecimal("1e999999999")),
          JSON.numberNode(new BigDecimal("-1e-999999999")));

  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "a",
          "n1",
          "true",
          "null",
          "NaN",
          "-Infinity",
          "-1",
          "0",
          "1",
          "2147483648",
          "9223372036854775807",
          "9223372036854775808",
          "1e999999999",
          "1E",
          "1e30",
          "-5Gi",
          "0.1m",
          "1e-999999999",
          "8Gi8",
          "9".repeat(400),
          "0000-00-00T00:00:00Z",
          "9999-12-31T23:59:59.999999999Z",
          "+999999999-12-31T23:59:59Z",
          "-999999999-01-01T00:00:00Z",
          "2562047h47m16.854775807s",
          "9999999h",
          "-1h",
          "../../etc/passwd",
          "a/b/c",
          "a~1b~0c",
          "ml/g,ml/g",
          "w=1,w=2",
          "7:n1,n2",
          "[\"ml/g\",null,{}]",
          "[[[[[[[[",
          "{\"replicas\":-1}",
          "&a [*a, *a]",
          "$(A)$(A)",
          "${x} `y` ; rm -rf /",
          "\u0000",
          "\u001b[2J\n\r\t",
          "\ud83d\ude00\u202e\ufeff",
          "\ud800",
          "Ω".repeat(64),
          "x".repeat(64),
          "x".repeat(254));

  private final Random random;

  HostileValues(Random random) {
    this.random = random;
  }

  <T> T oneOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Most keep the type that is there, since others are refused early. */
  JsonNode insteadOf(JsonNode value) {
    if (random.nextInt(3) > 0 && value.isNumber()) {
      return number();
    } else if (random.nextInt(3) > 0 && value.isTextual()) {
      return text();
    }
    return any();
  }

  JsonNode number() {
    return oneOf(NUMBERS);
  }

  JsonNode text() {
    return JSON.textNode(
        random.nextInt(200) == 0 ? "x".repeat(1 << random.nextInt(19)) : oneOf(TEXTS));
  }

  JsonNode any() {
    List<Supplier<JsonNode>> all =
        List.of(
            this::number,
            this::number,
            this::text,
            this::text,
            JSON::nullNode,
            () -> JSON.booleanNode(random.nextBoolean()),
            JSON::objectNode,
            JSON::arrayNode,
            () -> JSON.arrayNode().add(JSON.nullNode()),
            () -> JSON.arrayNode().add(text()).add(number()),
            () -> JSON.objectNode().set("", JSON.nullNode()),
            () -> JSON.objectNode().set("a", number()),
            () -> nested(random.nextInt(50) == 0 ? 900 : 60));
    return oneOf(all).get();
  }

  private JsonNode nested(int levels) {
    JsonNode inner = JSON.arrayNode();
    for (int i = 0; i < levels; i++) {
      inner =
          random.nextBoolean() ? JSON.arrayNode().add(inner) : JSON.objectNode().set("a", inner);
    }
    return inner;
  }
}
