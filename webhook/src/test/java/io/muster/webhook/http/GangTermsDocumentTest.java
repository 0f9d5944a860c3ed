package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What users are told about a gang's terms, word for word, as the documentation has it. */
final class GangTermsDocumentTest {

  private static final Path DOCUMENT = Path.of("../deploy/docs/admission.md");
  private static final String HEADING = "## Gang terms\n";

  /** Over 256 characters a warning may be cut on its way. */
  private static final int LONGEST = 256;

  private static final String NAMED = "muster.io/gang-name: a, muster.io/gang-min: '2'";

  private record Case(String what, String annotations, String labels, String spec) {

    static Case of(String what, String annotations) {
      return new Case(what, annotations, "", "");
    }

    static Case extra(String what, String annotation) {
      return of(what, NAMED + ", " + annotation);
    }

    Case spec(String more) {
      return new Case(what, annotations, labels, more);
    }

    Case label(String more) {
      return new Case(what, annotations, more, spec);
    }

    JsonNode manifest() {
      return pod(
          """
          metadata: {name: p, labels: {%s}, annotations: {%s}}
          spec:
            schedulerName: default-scheduler
            containers: [{name: main, resources: {limits: {nvidia.com/gpu: "1"}}, ports: [%s]}%s]
            hostNetwork: %s
          """
              .formatted(
                  labels,
                  annotations,
                  spec.equals("port") ? "{containerPort: 8080, hostPort: 8080}" : "",
                  spec.equals("many") ? ", {name: more}".repeat(200) : "",
                  spec.equals("network")));
    }
  }

  private static final List<Case> CASES =
      List.of(
          Case.of("no minimum", "muster.io/gang-name: a"),
          Case.of("minimum no integer", "muster.io/gang-name: a, muster.io/gang-min: '4.0'"),
          Case.of("minimum below 1", "muster.io/gang-name: a, muster.io/gang-min: '0'"),
          Case.of("minimum above 5000", "muster.io/gang-name: a, muster.io/gang-min: '5001'"),
          Case.of("name with blanks", "muster.io/gang-name: a b, muster.io/gang-min: '2'"),
          Case.of("terms without a name", "muster.io/gang-min: '2'"),
          Case.extra("total below the minimum", "muster.io/gang-total: '1'"),
          Case.extra("unknown mode", "muster.io/gang-mode: strict"),
          Case.extra("unknown match policy", "muster.io/gang-match-policy: always"),
          Case.extra("waiting time no duration", "muster.io/gang-timeout: PT10M"),
          Case.extra("waiting time not above 0", "muster.io/gang-timeout: '0'"),
          Case.extra("waiting time above 24 h", "muster.io/gang-timeout: 25h"),
          Case.extra("groups no list", "muster.io/gang-groups: ml/b"),
          Case.extra("groups without the gang itself", "muster.io/gang-groups: '[\"ml/b\"]'"),
          Case.extra("groups in two namespaces", "muster.io/gang-groups: '[\"ml/a\",\"x/b\"]'"),
          Case.extra(
              "more than 32 groups",
              "muster.io/gang-groups: '["
                  + IntStream.range(0, 33)
                      .mapToObj("\"ml/g%d\""::formatted)
                      .collect(Collectors.joining(","))
                  + "]'"),
          Case.extra("roles no list", "muster.io/gang-roles: worker"),
          Case.extra("roles above the minimum", "muster.io/gang-roles: 'worker=3'"),
          Case.extra("required level no label key", "muster.io/gang-topology-required: 'a b'"),
          Case.extra("preferred levels no label keys", "muster.io/gang-topology-preferred: 'a b'"),
          Case.extra("segments without a size", "muster.io/gang-segments: rack"),
          Case.extra("segments that do not nest", "muster.io/gang-segments: 'rack=16,block=40'"),
          Case.extra("unknown rule for losses", "muster.io/gang-on-loss: wait"),
          Case.extra("later pod no JSON", "muster.io/gang-later: 'cpu 8'"),
          Case.extra("later pod without containers", "muster.io/gang-later: '{}'"),
          Case.extra(
              "later pod with a slip",
              "muster.io/gang-later: '{\"containers\":[{\"resource\":{}}]}'"),
          Case.extra(
              "later pod with no quantity",
              "muster.io/gang-later: '{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"x\"}}}]}'"),
          Case.extra(
              "later pod above 16 KiB", "muster.io/gang-later: '" + " ".repeat(16_385) + "'"),
          Case.extra("index no integer", "muster.io/gang-index: first"),
          Case.extra(
              "two dialects that differ",
              "gang.scheduling.koordinator.sh/name: b,"
                  + " gang.scheduling.koordinator.sh/min-available: '3'"),
          Case.of("member that opts out", NAMED).label("muster.io/inject: 'false'"),
          Case.of("port of the node", NAMED).spec("port"),
          Case.of("network of the node", NAMED).spec("network"),
          Case.of("more than 200 containers", NAMED).spec("many"));

  @Test
  void theDocumentSaysWhatUsersAreTold() throws IOException, InterruptedException {
    var rows = new ArrayList<String>();
    for (var one : CASES) {
      try (var reviewer = new Reviewer()) {
        var response = reviewer.review(one.manifest());
        boolean allowed = response.path("allowed").asBoolean();
        var said =
            allowed
                ? IntStream.range(0, response.path("warnings").size())
                    .mapToObj(i -> response.path("warnings").get(i).asText())
                    .toList()
                : List.of(response.path("status").path("message").asText());
        assertThat(said).as(one.what()).hasSize(1);
        assertThat(said.getFirst()).hasSizeLessThanOrEqualTo(LONGEST);
        rows.add(
            "| %s | %s | `%s` |"
                .formatted(
                    one.what(),
                    allowed ? "warned" : "refused, " + response.path("status").path("code"),
                    said.getFirst()));
      }
    }
    var table = "| member | answer | text |\n|---|---|---|\n" + String.join("\n", rows) + "\n";
    var text = Files.readString(DOCUMENT);
    int from = text.indexOf(HEADING);
    int first = text.indexOf("| member", from);
    int next = text.indexOf("\n\n", first);
    int end = next < 0 ? text.length() : next + 1;
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(DOCUMENT, text.substring(0, first) + table + text.substring(end));
    }

    assertThat(Files.readString(DOCUMENT)).contains(HEADING).contains(table);
  }

  /** It is no port, and its user has asked for just that. */
  @Test
  void ofAMemberApartFromItsSiblingsNothingIsSaid() throws IOException, InterruptedException {
    try (var reviewer = new Reviewer()) {
      var response =
          reviewer.review(
              pod(
                  """
                  metadata: {name: p, namespace: ml, labels: {app: a}, annotations: {%s}}
                  spec:
                    schedulerName: default-scheduler
                    affinity:
                      podAntiAffinity:
                        requiredDuringSchedulingIgnoredDuringExecution:
                        - topologyKey: kubernetes.io/hostname
                          labelSelector: {matchLabels: {app: a}}
                    containers: [{name: main, resources: {limits: {nvidia.com/gpu: "1"}}}]
                  """
                      .formatted(NAMED)));
      assertThat(response.path("allowed").asBoolean()).isTrue();
      assertThat(response.path("warnings")).isEmpty();
    }
  }
}
