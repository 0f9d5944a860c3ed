package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of Kubernetes may be digits alone, which YAML reads as a number unless they are quoted. */
final class NamesOfDigitsIT {

  private static final String DIGITS = "1234567";
  private static final String OTHERS = "7654321";

  private static final List<String> NAMES =
      List.of(
          "image.pullSecrets=[\"1234567\"]",
          "priorityClassName=\"1234567\"",
          "networkPolicy.monitoringNamespace=\"1234567\"",
          "networkPolicy.boardNamespace=\"1234567\"",
          "settings.schedulerClientNames=\"1234567\"");

  private static final List<String> SECRETS =
      List.of(
          "certificates.serverSecret=\"1234567\"",
          "certificates.clientSecret=\"7654321\"",
          "certificates.issuerRef.name=\"1234567\"",
          "certificates.issuerRef.group=\"1234567\"");

  @ParameterizedTest
  @ValueSource(strings = {"everything", "second-everything", ValueSets.CERT_MANAGER})
  void stayText(String set) {
    var values =
        Stream.of(
                ValueSets.all().get(set).stream(),
                NAMES.stream(),
                set.equals("everything") ? Stream.<String>empty() : SECRETS.stream())
            .flatMap(part -> part)
            .toList();
    var arguments = new ArrayList<>(ChartRendering.template(DIGITS, values));
    arguments.set(1, DIGITS);

    var text = Helm.findOrBuild(Layout.current()).output(arguments);

    for (var object : ChartRendering.documents(text)) {
      assertThat(numbers(object)).as(ChartRendering.name(object)).doesNotContain(DIGITS, OTHERS);
      for (var document : object.path("data")) {
        assertThat(document.asText().lines().map(line -> line.replaceFirst(".*: ", "")))
            .as(ChartRendering.name(object))
            .doesNotContain(DIGITS, OTHERS);
      }
    }
  }

  private static List<String> numbers(JsonNode node) {
    return node.isNumber()
        ? List.of(node.asText())
        : node.valueStream().flatMap(part -> numbers(part).stream()).toList();
  }
}
