package io.muster.deploy.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The option of commands that print for people or for programs. */
public final class OutputOptions {

  private static final ObjectWriter JSON =
      JsonMapper.builder().build().writerWithDefaultPrettyPrinter();

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private Output output = Output.text;

  /**
   * Prints an answer as the user has chosen.
   *
   * @param lines for people
   * @param document for programs: what it is made of JSON has too
   */
  public void print(PrintWriter out, List<String> lines, Map<String, Object> document)
      throws JsonProcessingException {
    switch (output) {
      case text -> lines.stream().map(Legible::line).forEach(out::println);
      case json -> out.println(JSON.writeValueAsString(document));
    }
    out.flush();
  }
}
