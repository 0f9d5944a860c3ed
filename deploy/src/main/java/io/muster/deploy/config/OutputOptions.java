package io.muster.deploy.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** The option of commands that print for people or for programs. */
public final class OutputOptions {

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private Output output = Output.text;

  /** What the user has chosen. */
  public Output format() {
    return output;
  }

  /** Prints a document, indented. */
  public static void printJson(Object document, PrintWriter out) throws JsonProcessingException {
    out.println(
        JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(document));
  }
}
