package io.muster.bench.probe;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.muster.bench.SchedulerIdentity;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.ServerNames;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.http.ExtenderEndpoint;
import io.muster.webhook.core.Entry;
import io.muster.webhook.kube.Reachability;
import io.muster.webhook.kube.Registration;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The least extender with a webhook: filter answers a node dealt without any thought, bind waits
 * for the whole gang and binds it at once. It knows no nodes that come or go, no pods, no failures.
 * Same TLS, same server and same webhook registration as Muster, so that the difference between the
 * two is what Muster's care costs.
 */
final class Probe {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String HOST = "127.0.0.1";

  private final Terms terms;
  private final Dealer dealer;
  private final Bindings bindings;
  private final Releases releases;

  private Probe(Terms terms) {
    this.terms = terms;
    this.dealer = new Dealer(terms.nodePrefix(), terms.nodes(), terms.gpus());
    var requests = new Requests(terms);
    this.bindings = new Bindings(requests);
    this.releases = new Releases(requests);
  }

  /** The one argument is a file of {@link Terms}. */
  public static void main(String[] arguments) throws IOException {
    new Probe(Terms.read(Path.of(arguments[0]))).serve();
  }

  private void serve() throws IOException {
    var namespace = "muster-system";
    var store = new InMemoryCertificateStore();
    var certificates =
        Certificates.ensure(
            store,
            ServerNames.ofService("muster-extender", namespace)
                .and(ServerNames.of("localhost", HOST)),
            InstantSource.system());
    SchedulerIdentity.of(store)
        .writtenTo(terms.identity(), "https://" + HOST + ":" + terms.extenderPort() + "/v1");
    start(java -> {
      TlsListener.on(HOST, terms.extenderPort(), certificates, ClientAuth.NEED).install(java);
      java.http.maxRequestSize = ExtenderEndpoint.MAX_BODY_BYTES;
      java.routes.post("/v1/filter", this::filter);
      java.routes.post("/v1/prioritize", context -> json(context, "[]"));
      java.routes.post("/v1/preempt", context -> json(context, "{}"));
      java.routes.post("/v1/bind", this::bind);
    });
    start(java -> {
      TlsListener.on(HOST, terms.webhookPort(), certificates, ClientAuth.NONE).install(java);
      Entry.changingPaths().forEach(path -> java.routes.post(path, this::admit));
    });
    register(certificates, namespace);
    if (terms.gates()) {
      releases.start();
    }
    start(java -> {
      java.jetty.host = HOST;
      java.jetty.port = terms.controlPort();
      java.routes.get("/readyz", context -> context.result("ok"));
      java.routes.post(
          "/forget",
          context -> {
            dealer.forget();
            bindings.forget();
            releases.forget();
          });
    });
  }

  private static void start(Consumer<JavalinConfig> content) {
    Javalin.create(
            java -> {
              java.startup.showJavalinBanner = false;
              java.startup.showOldJavalinVersionWarning = false;
              content.accept(java);
            })
        .start();
  }

  private void register(Certificates certificates, String namespace) throws IOException {
    var config =
        new ConfigBuilder()
            .withMasterUrl(terms.server())
            .withCaCertData(Base64.getEncoder().encodeToString(Files.readAllBytes(terms.ca())))
            .withOauthToken(terms.token())
            .build();
    try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
      new Registration(
              new Reachability.AtUrl(URI.create("https://" + HOST + ":" + terms.webhookPort())),
              certificates.caBundlePem(),
              new Registration.Coverage(
                  namespace,
                  Set.of("default-scheduler", "muster-scheduler"),
                  PlacementMode.EXTENDER,
                  Enrolment.GANG),
              Optional.empty())
          .apply(client);
    }
  }

  private void filter(Context context) throws IOException {
    var pod = podOf(context.bodyInputStream().readAllBytes());
    var member = Member.of(pod);
    bindings.know(pod.path("metadata").path("uid").asText(), member);
    json(
        context,
        """
        {"NodeNames":["%s"],"Nodes":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""}\
        """
            .formatted(dealer.place(member)));
  }

  /** The pod of a filter call; the names behind it are not looked at. */
  private static JsonNode podOf(byte[] body) throws IOException {
    try (var parser = JSON.createParser(body)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var field = parser.currentName();
        parser.nextToken();
        if (field.equals("Pod")) {
          return JSON.readTree(parser);
        }
        parser.skipChildren();
      }
    }
    throw new IOException("no pod in the call");
  }

  private void bind(Context context) throws IOException {
    var call = JSON.readTree(context.bodyInputStream());
    context.future(() ->
        bindings
            .bind(
                call.path("PodNamespace").asText(),
                call.path("PodName").asText(),
                call.path("PodUID").asText(),
                call.path("Node").asText())
            .thenAccept(
                error -> json(context, JSON.createObjectNode().put("Error", error).toString())));
  }

  private void admit(Context context) throws IOException {
    var request = JSON.readTree(context.bodyInputStream()).path("request");
    var review =
        JSON.createObjectNode()
            .put("apiVersion", "admission.k8s.io/v1")
            .put("kind", "AdmissionReview");
    var response = review.putObject("response");
    response.put("uid", request.path("uid").asText()).put("allowed", true);
    response.put("patchType", "JSONPatch");
    response.put(
        "patch", Base64.getEncoder().encodeToString(patch().getBytes(StandardCharsets.UTF_8)));
    json(context, review.toString());
  }

  private String patch() {
    var steps = JSON.createArrayNode();
    steps
        .addObject()
        .put("op", "add")
        .put("path", "/metadata/annotations/" + GangKeys.INJECTED.replace("/", "~1"))
        .put("value", "probe");
    if (terms.gates()) {
      steps
          .addObject()
          .put("op", "add")
          .put("path", "/spec/schedulingGates")
          .putArray("value")
          .addObject()
          .put("name", Pod.GATE);
    }
    return steps.toString();
  }

  private static void json(Context context, String body) {
    context.contentType("application/json").result(body);
  }
}
