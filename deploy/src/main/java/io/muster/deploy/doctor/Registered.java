package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kube.Marks;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.RegisteredTrust;
import io.muster.extender.core.gang.Enrolment;
import io.muster.webhook.kube.Reachability;
import io.muster.webhook.kube.Registration;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the apiserver was told of Muster, and whether somebody answers there. */
record Registered(KubernetesClient client, Config settings) {

  private static final String CHECK = "registration";
  static final String MUSTER_WRITES_IT =
      "a running Muster writes it: start it, or read in its log why it cannot";

  static final String GIVE_SETTINGS = "; give doctor the settings of serve with --config";
  private static final int HTTPS = 443;
  private static final int CONNECT_MILLIS = 3_000;

  List<Finding> findings() {
    var released = released();
    if (released.isPresent()) {
      return List.of(released.get());
    }
    var findings = new ArrayList<Finding>();
    var configuration = RegisteredTrust.stored(client);
    if (configuration.isEmpty()) {
      findings.add(
          Finding.problem(
              CHECK,
              "MutatingWebhookConfiguration muster does not exist: gangs' pods come as they are",
              MUSTER_WRITES_IT));
    } else {
      var webhooks = configuration.get().getWebhooks();
      findings.add(entries(webhooks));
      findings.addAll(services(webhooks));
    }
    findings.add(new RegisteredPolicies(client).ofMembers(wanted()));
    return findings;
  }

  private Optional<Finding> released() {
    var namespace = settings.text(Setting.NAMESPACE);
    return Optional.ofNullable(client.namespaces().withName(namespace).get())
        .map(Marks::labels)
        .filter(Enrolment::isReleased)
        .map(_ ->
            Finding.problem(
                "release",
                "Muster is released: it passes everything through, and gangs start in part",
                "muster release --undo, when all is well again"));
  }

  /** As this version would register itself; authorities and address aside. */
  private List<HasMetadata> wanted() {
    return new Registration(
            new Reachability.AtUrl(URI.create("https://nowhere")),
            "",
            settings.coverage(),
            Optional.empty())
        .objects();
  }

  private Finding entries(List<MutatingWebhook> registered) {
    var wanted =
        wanted().stream()
            .filter(MutatingWebhookConfiguration.class::isInstance)
            .map(MutatingWebhookConfiguration.class::cast)
            .flatMap(configuration -> configuration.getWebhooks().stream())
            .toList();
    var different =
        wanted.stream()
            .filter(entry ->
                registered.stream().map(Registered::meaning).noneMatch(meaning(entry)::equals))
            .map(MutatingWebhook::getName)
            .toList();
    return different.isEmpty()
        ? Finding.ok(CHECK, "all %d webhooks are as they should be".formatted(wanted.size()))
        : Finding.problem(
            CHECK,
            "missing or other than this version and these settings have them: "
                + String.join(", ", different),
            MUSTER_WRITES_IT + GIVE_SETTINGS);
  }

  /** What it says but for the address; the apiserver stores a selector where none was given. */
  private static MutatingWebhook meaning(MutatingWebhook entry) {
    var chosen = Objects.requireNonNullElseGet(entry.getObjectSelector(), LabelSelector::new);
    return new MutatingWebhookBuilder(entry)
        .withClientConfig(new WebhookClientConfig())
        .withObjectSelector(chosen)
        .build();
  }

  private List<Finding> services(List<MutatingWebhook> webhooks) {
    var configs = webhooks.stream().map(MutatingWebhook::getClientConfig).toList();
    var addresses =
        configs.stream()
            .map(WebhookClientConfig::getUrl)
            .filter(Objects::nonNull)
            .map(url -> URI.create(url).resolve("/"))
            .distinct()
            .map(Registered::address);
    var services =
        configs.stream()
            .map(WebhookClientConfig::getService)
            .filter(Objects::nonNull)
            .map(this::service)
            .distinct();
    return Stream.concat(addresses, services).toList();
  }

  /** Whether somebody listens there; the apiserver may come from elsewhere than who asks. */
  private static Finding address(URI url) {
    var called = "the apiserver calls " + url.getAuthority();
    try (var socket = new Socket()) {
      int port = url.getPort() < 0 ? HTTPS : url.getPort();
      socket.connect(new InetSocketAddress(url.getHost(), port), CONNECT_MILLIS);
      return Finding.ok("webhook", called);
    } catch (IOException e) {
      return Finding.cannotTell(
          "webhook",
          "%s, where nobody answers from here: %s".formatted(called, e.getMessage()),
          "start Muster there, or mend webhookUrl, unless only the apiserver can reach it");
    }
  }

  private Finding service(ServiceReference service) {
    var name = service.getNamespace() + "/" + service.getName();
    int port = Objects.requireNonNullElse(service.getPort(), HTTPS);
    var there =
        client.services().inNamespace(service.getNamespace()).withName(service.getName()).get();
    if (there == null) {
      return Finding.problem(
          "webhook",
          "the apiserver calls Service %s, which does not exist".formatted(name),
          "create it, port %d to Muster's webhookPort".formatted(port));
    }
    if (there.getSpec().getPorts().stream().noneMatch(open -> open.getPort() == port)) {
      return Finding.problem(
          "webhook",
          "the apiserver calls port %d of Service %s, which has only %s"
              .formatted(
                  port,
                  name,
                  there.getSpec().getPorts().stream()
                      .map(open -> String.valueOf(open.getPort()))
                      .collect(Collectors.joining(", "))),
          "give the Service that port, to Muster's webhookPort");
    }
    boolean isAnswered =
        client
            .discovery()
            .v1()
            .endpointSlices()
            .inNamespace(service.getNamespace())
            .withLabel("kubernetes.io/service-name", service.getName())
            .list()
            .getItems()
            .stream()
            .flatMap(slice -> slice.getEndpoints().stream())
            .anyMatch(end ->
                end.getConditions() == null
                    || !Boolean.FALSE.equals(end.getConditions().getReady()));
    return isAnswered
        ? Finding.ok("webhook", "Service %s has a ready endpoint".formatted(name))
        : Finding.problem(
            "webhook",
            "Service %s has no ready endpoint: pods of gangs are refused".formatted(name),
            "start Muster, or compare the Service's selector with the labels of its pods");
  }
}
