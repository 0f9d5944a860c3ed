package io.muster.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages that are followed line by line, before anybody follows them: each block is of a known
 * kind, and each command names options and values that exist.
 */
final class WalkPagesTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern INLINE = Pattern.compile("`(?:kubectl )?(muster [a-z][^`\\n]*)`");

  private static WalkPage page(String name) throws IOException {
    return WalkPage.read(ROOT.resolve("deploy/docs").resolve(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"install-kubeadm.md", "install-managed.md"})
  void everyCommandNamesWhatExists(String name) throws IOException {
    var known = new KnownCommands(ROOT);
    var faults = new ArrayList<String>();
    for (var step : page(name).steps()) {
      switch (step) {
        case Step.Shell(var line, var script, var _) ->
            known.faults(script).forEach(fault -> faults.add(name + ":" + line + ": " + fault));
        case Step.Saved(var _, var file, var text) -> {
          var document = new YAMLMapper().readTree(text);
          if (file.endsWith("-values.yaml")) {
            known.values(document, faults);
          }
        }
        case Step.Played _ -> {}
      }
    }
    assertThat(faults).isEmpty();
  }

  /** What is not run is little, and says why. */
  @ParameterizedTest
  @CsvSource({
    "install-kubeadm.md,schedulers-one-by-one schedulers-one-by-one files-removed",
    "install-managed.md,''"
  })
  void fewBlocksAreNotRun(String name, String played) throws IOException {
    assertThat(
            page(name).steps().stream()
                .filter(Step.Played.class::isInstance)
                .map(step -> ((Step.Played) step).name())
                .collect(Collectors.joining(" ")))
        .isEqualTo(played);
    assertThat(page(name).steps()).hasSizeGreaterThan(8);
  }

  /** Whatever page or example says it; what has changed is told by the commands of then. */
  @Test
  void everyCommandOfMusterInThePagesExists() throws IOException {
    var faults = new ArrayList<String>();
    int seen = 0;
    for (var page : pages()) {
      var text = Files.readString(page);
      for (var command : commandsOfMuster(text)) {
        seen++;
        var found = new ArrayList<String>();
        for (var words : ShellWords.commands(command)) {
          if (words.getFirst().equals("muster")) {
            KnownCommands.muster(words.subList(1, words.size()), found);
          }
        }
        // Prose names commands without what they need besides.
        found.removeIf(fault -> fault.contains(": Missing required"));
        found.removeIf(fault -> fault.contains(": Error: Missing required"));
        found.forEach(fault -> faults.add(ROOT.relativize(page) + ": " + fault));
      }
    }
    assertThat(seen).isGreaterThan(100);
    assertThat(faults).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    try (var files = Files.walk(ROOT)) {
      return files
          .filter(file -> {
            var name = ROOT.relativize(file).toString();
            return !name.matches("(.*/)?(target|\\.git)/.*")
                && !name.endsWith("/changes.md")
                && (name.endsWith(".md") || name.matches("examples/.*\\.yaml"));
          })
          .sorted()
          .toList();
    }
  }

  /**
   * Lines of code blocks, and comments of examples, that begin with the program, with or without a
   * prompt; and what stands between backticks.
   */
  private static List<String> commandsOfMuster(String page) {
    var found = new ArrayList<String>();
    boolean isCode = false;
    for (var line : page.lines().toList()) {
      isCode ^= line.strip().startsWith("```");
      var command = line.strip().replaceFirst("^[$#] +", "").replaceFirst("^kubectl ", "");
      if ((isCode || line.matches("# +kubectl .*")) && command.matches("muster [a-z].*")) {
        found.add(command);
      }
    }
    INLINE.matcher(page).results().map(command -> command.group(1)).forEach(found::add);
    return found;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "helm install muster deploy/chart/muster --set mod=second | no value mod",
        "helm install muster deploy/chart/muster --set mode=third | mode may not be \"third\"",
        "helm install muster deploy/chart/other | no chart deploy/chart/other",
        "helm upgrade muster deploy/chart/muster --create-namespaces | option --create-namespaces",
        "kubectl fetch pods | the command: kubectl fetch pods",
        "kubectl get pods --watching | option --watching",
        "kubectl muster doctor --scheduler FILE | Unknown options: '--scheduler'",
        "muster docter | muster docter",
        "until false; do kubeadm upgrade; done | the program of: false",
      })
  void aCommandThatDoesNotExistIsNamed(String script, String fault) throws IOException {
    assertThat(new KnownCommands(ROOT).faults(script)).anyMatch(found -> found.contains(fault));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "```\\nls\\n``` | x.md:2: neither sh nor yaml nor text",
        "```text\\nls\\n``` | x.md:2: text that no sh before it could have printed",
        "```sh\\nls\\n```\\n```text\\n1\\n```\\n```text\\n2\\n``` | x.md:8: text that no sh",
        "Edit it:\\n```yaml\\na: b\\n``` | x.md:3: yaml without the words",
        "```sh\\nls\\n | x.md:2: a block without an end",
      })
  void aBlockOfWhichNobodyKnowsWhatToDoIsRefused(String page, String fault) {
    var text = page.strip().replace("\\n", "\n");
    assertThatThrownBy(() -> WalkPage.of("x.md", text)).hasMessageContaining(fault.strip());
  }

  @Test
  void blocksAreReadWithWhatTheSourceSaysOfThem() {
    assertThat(
            WalkPage.of(
                    "x.md",
                    """
                    Save this as `a.yaml`:

                    ```yaml
                    a: b
                    ```

                    1. Run:

                       ```sh
                       ls |
                         cat
                       ```
                       ```text
                       a.yaml
                       ```

                    <!-- played as host, since there is
                    no host here -->
                    ```sh
                    reboot
                    ```
                    """)
                .steps())
        .containsExactly(
            new Step.Saved(4, "a.yaml", "a: b\n"),
            new Step.Shell(10, "ls |\n  cat\n", Optional.of("a.yaml\n")),
            new Step.Played(20, "host", "there is no host here", "reboot\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NAME AGE\\na 7s | NAME   AGE\\na      12m | true",
        "NAME AGE\\na 7s | NAME   AGE\\nb      12m | false",
        "...\\n0 problems ... | ok a\\nok b\\n0 problems of 3 | true",
        "...\\n0 problems ... | ok a\\n1 problems of 3 | false",
        "a | a\\nb | false",
        "at https://...:9443 | at https://10.0.0.1:9443 | true",
        "v1.2 | v1x2 | false",
      })
  void whatIsPrintedIsComparedButForWhatVaries(String expected, String printed, boolean same) {
    assertThat(
            new ExpectedOutput(expected.replace("\\n", "\n"))
                .mismatch(printed.replace("\\n", "\n"))
                .isEmpty())
        .isEqualTo(same);
  }

  @Test
  void aScriptIsTakenApartIntoItsCommands() {
    assertThat(
            ShellWords.commands(
                """
                # a comment
                helm list -n "a b" \\
                  --wait > out.txt # and one more
                until kubectl get pods | sed '/^a b$/d' 2> err; do sleep 1; done
                """))
        .containsExactly(
            List.of("helm", "list", "-n", "a b", "--wait"),
            List.of("kubectl", "get", "pods"),
            List.of("sed", "/^a b$/d"),
            List.of("sleep", "1"),
            List.of("done"));
  }
}
