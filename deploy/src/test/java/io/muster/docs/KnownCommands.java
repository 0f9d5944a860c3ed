package io.muster.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.deploy.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.ParameterException;

/**
 * What the commands of pages may be: those of {@code muster} by its own declarations, values by the
 * schema of the chart, and of other programs those that pages need. Stateless; the real programs
 * have the last word, in the tests that run the pages.
 */
final class KnownCommands {

  private static final Set<String> SHELL =
      Set.of("cat", "echo", "sed", "sleep", "done", "fi", "ln", "mkdir", "ls");

  /** Options with a value end with "=". */
  private static final Set<String> OF_HELM = Set.of("-n=", "--namespace=", "--timeout=", "--wait");

  private static final Map<String, Set<String>> HELM =
      Map.of(
          "install",
          Set.of("--create-namespace", "-f=", "--values=", "--set=", "--take-ownership"),
          "upgrade",
          Set.of("-f=", "--values=", "--set=", "--reuse-values", "--take-ownership"),
          "rollback",
          Set.of(),
          "uninstall",
          Set.of(),
          "history",
          Set.of(),
          "list",
          Set.of(),
          "test",
          Set.of("--logs"));

  private static final Set<String> OF_KUBECTL =
      Set.of("-n=", "--namespace=", "-A", "-l=", "-o=", "-f=");

  private static final Map<String, Set<String>> KUBECTL =
      Map.of(
          "apply",
          Set.of("--server-side", "--force-conflicts"),
          "create",
          Set.of("--from-file=", "--dry-run="),
          "replace",
          Set.of(),
          "get",
          Set.of("--ignore-not-found"),
          "describe",
          Set.of(),
          "delete",
          Set.of("--ignore-not-found"),
          "label",
          Set.of("--overwrite"),
          "wait",
          Set.of("--for=", "--timeout="),
          "rollout",
          Set.of("--timeout="));

  private final JsonNode schema;
  private final Path root;

  KnownCommands(Path root) throws IOException {
    this.root = root;
    this.schema =
        new JsonMapper().readTree(root.resolve("deploy/chart/muster/values.schema.json").toFile());
  }

  /** What is wrong with the commands of a script; nothing where it is empty. */
  List<String> faults(String script) {
    var faults = new ArrayList<String>();
    for (var words : ShellWords.commands(script)) {
      switch (words.getFirst()) {
        case "helm" -> helm(words, faults);
        case "kubectl" -> {
          if (words.size() > 1 && words.get(1).equals("muster")) {
            muster(words.subList(2, words.size()), faults);
          } else {
            options(words, KUBECTL, OF_KUBECTL, faults);
          }
        }
        case "muster" -> muster(words.subList(1, words.size()), faults);
        default -> {
          if (!SHELL.contains(words.getFirst())) {
            faults.add("nobody knows the program of: " + String.join(" ", words));
          }
        }
      }
    }
    return faults;
  }

  /** What is wrong with a command of {@code muster}, without that word. */
  static void muster(List<String> arguments, List<String> faults) {
    try {
      Commands.commandLine(List.of()).parseArgs(arguments.toArray(String[]::new));
    } catch (ParameterException e) {
      faults.add("muster %s: %s".formatted(String.join(" ", arguments), e.getMessage()));
    }
  }

  private void helm(List<String> words, List<String> faults) {
    options(words, HELM, OF_HELM, faults);
    for (int i = 1; i < words.size(); i++) {
      if (words.get(i - 1).equals("--set")) {
        set(words.get(i), faults);
      }
      if (words.get(i).startsWith("deploy/") && !Files.isDirectory(root.resolve(words.get(i)))) {
        faults.add("there is no chart " + words.get(i));
      }
    }
  }

  /** Of {@code --set a.b=c,d=e}. */
  private void set(String text, List<String> faults) {
    for (var pair : text.split(",", -1)) {
      var parts = pair.split("=", 2);
      var at = schema;
      for (var key : parts[0].split("\\.", -1)) {
        at = below(at, key);
      }
      value(parts[0], new JsonMapper().getNodeFactory().textNode(parts[1]), at, faults);
    }
  }

  /** What is wrong with values of the chart. */
  void values(JsonNode values, List<String> faults) {
    value("", values, schema, faults);
  }

  private static void value(String path, JsonNode value, JsonNode schema, List<String> faults) {
    if (schema.isMissingNode() || (schema.isBoolean() && !schema.asBoolean())) {
      faults.add("the chart has no value " + path);
    } else if (schema.has("enum")
        && schema
            .path("enum")
            .valueStream()
            .noneMatch(one -> one.asText().equals(value.asText()))) {
      faults.add("%s may not be %s".formatted(path, value));
    } else if (schema.has("pattern") && !value.asText().matches(schema.path("pattern").asText())) {
      faults.add("%s may not be %s".formatted(path, value));
    } else {
      value
          .properties()
          .forEach(entry ->
              value(
                  path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(),
                  entry.getValue(),
                  below(schema, entry.getKey()),
                  faults));
    }
  }

  private static JsonNode below(JsonNode schema, String key) {
    var own = schema.path("properties").path(key);
    return own.isMissingNode() ? schema.path("additionalProperties") : own;
  }

  private static void options(
      List<String> words,
      Map<String, Set<String>> commands,
      Set<String> everywhere,
      List<String> faults) {
    var line = String.join(" ", words);
    if (words.size() < 2 || !commands.containsKey(words.get(1))) {
      faults.add("nobody knows the command: " + line);
      return;
    }
    var own = commands.get(words.get(1));
    for (int i = 2; i < words.size(); i++) {
      var word = words.get(i);
      if (word.length() < 2 || !word.startsWith("-")) {
        continue;
      }
      var option = word.replaceFirst("=.*", "");
      boolean takesValue = own.contains(option + "=") || everywhere.contains(option + "=");
      if (!takesValue && !own.contains(word) && !everywhere.contains(word)) {
        faults.add("nobody knows the option %s of: %s".formatted(word, line));
      }
      if (takesValue && !word.contains("=")) {
        i++;
      }
    }
  }
}
