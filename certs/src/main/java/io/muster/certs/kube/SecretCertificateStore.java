package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.certs.CertificateAuthority;
import io.muster.certs.CertificateBundle;
import io.muster.certs.CertificateIssueException;
import io.muster.certs.CertificateStore;
import io.muster.certs.Identity;
import io.muster.certs.InvalidCertificateException;
import io.muster.certs.Purpose;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps the certificates in two Secrets of Muster's namespace: {@value #CERTIFICATES} is Muster's
 * own, {@value #SCHEDULER_CLIENT} is for whoever runs kube-scheduler and holds no CA key. The first
 * one decides which authority is in force. Safe for concurrent use, also by several replicas.
 */
public final class SecretCertificateStore implements CertificateStore {

  /** Holds ca.crt, ca.key, tls.crt and tls.key. */
  public static final String CERTIFICATES = "muster-certificates";

  /** Holds ca.crt, tls.crt and tls.key, ready to be mounted into kube-scheduler. */
  public static final String SCHEDULER_CLIENT = "muster-scheduler-client";

  private static final Map<String, String> LABELS =
      Map.of("app.kubernetes.io/name", "muster", "app.kubernetes.io/managed-by", "muster");
  private static final String REPLACE_CA =
      "restore the Secret from a backup, or delete it: the next start then makes a new CA, and"
          + " kube-scheduler needs its new "
          + SCHEDULER_CLIENT;
  private static final String REPLACE_LEAF =
      "remove tls.crt and tls.key from the Secret: the next start issues them again with the same"
          + " CA";
  private static final String REPLACE_CLIENT =
      "delete the Secret: the next start issues it again with the same CA, then hand it to"
          + " kube-scheduler again";

  private final KubernetesClient client;
  private final String namespace;

  public SecretCertificateStore(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  @Override
  public Optional<CertificateBundle> load() {
    return get(CERTIFICATES).map(own -> bundle(own, get(SCHEDULER_CLIENT)));
  }

  @Override
  public CertificateBundle create(CertificateBundle bundle) {
    boolean won =
        create(CERTIFICATES, ownFields(bundle)) && create(SCHEDULER_CLIENT, clientFields(bundle));
    return won ? bundle : stored();
  }

  @Override
  public CertificateBundle replace(CertificateBundle previous, CertificateBundle next) {
    Optional<Secret> own = get(CERTIFICATES);
    if (own.isEmpty()) {
      return create(next);
    }
    Optional<Secret> clients = get(SCHEDULER_CLIENT);
    CertificateBundle current = bundle(own.get(), clients);
    if (!current.equals(previous)) {
      return current;
    }
    boolean won =
        update(own.get(), ownFields(next))
            && (clients.isPresent()
                ? update(clients.get(), clientFields(next))
                : create(SCHEDULER_CLIENT, clientFields(next)));
    return won ? next : stored();
  }

  private CertificateBundle stored() {
    return load()
        .orElseThrow(() ->
            new CertificateIssueException(
                "Secret "
                    + named(CERTIFICATES)
                    + " was deleted while certificates were made: start Muster again"));
  }

  private static CertificateBundle bundle(Secret ownSecret, Optional<Secret> clientSecret) {
    SecretFields own = SecretFields.of(ownSecret);
    List<X509Certificate> trusted = own.certificates(SecretFields.CA_CERTIFICATE, REPLACE_CA);
    PrivateKey caKey = own.privateKey(SecretFields.CA_KEY, REPLACE_CA);
    Identity ca = own.identity(caKey, SecretFields.CA_KEY, List.of(trusted.getFirst()), REPLACE_CA);
    Map<Purpose, Identity> leaves = new HashMap<>();
    own.leaf(REPLACE_LEAF).ifPresent(leaf -> leaves.put(Purpose.SERVER, leaf));
    clientSecret
        .flatMap(secret -> clientOf(secret, trusted))
        .ifPresent(leaf -> leaves.put(Purpose.SCHEDULER_CLIENT, leaf));
    try {
      return new CertificateBundle(new CertificateAuthority(ca), trusted, leaves);
    } catch (InvalidCertificateException e) {
      throw own.unusable(SecretFields.CA_CERTIFICATE, e.getMessage(), REPLACE_CA, e);
    }
  }

  // A client Secret of other authorities counts as missing: kube-scheduler would not trust us.
  private static Optional<Identity> clientOf(Secret secret, List<X509Certificate> trusted) {
    SecretFields fields = SecretFields.of(secret);
    Optional<Identity> leaf = fields.leaf(REPLACE_CLIENT);
    return leaf.filter(
        _ -> fields.certificates(SecretFields.CA_CERTIFICATE, REPLACE_CLIENT).equals(trusted));
  }

  private static Map<String, String> ownFields(CertificateBundle bundle) {
    Identity ca = bundle.authority().identity();
    return withLeaf(
        Map.of(SecretFields.CA_CERTIFICATE, bundle.trustedPem(), SecretFields.CA_KEY, ca.keyPem()),
        bundle.leaf(Purpose.SERVER));
  }

  private static Map<String, String> clientFields(CertificateBundle bundle) {
    return withLeaf(
        Map.of(SecretFields.CA_CERTIFICATE, bundle.trustedPem()),
        bundle.leaf(Purpose.SCHEDULER_CLIENT));
  }

  private static Map<String, String> withLeaf(Map<String, String> fields, Optional<Identity> leaf) {
    Map<String, String> all = new HashMap<>(fields);
    leaf.ifPresent(identity -> {
      all.put(SecretFields.CERTIFICATE, identity.chainPem());
      all.put(SecretFields.KEY, identity.keyPem());
    });
    Base64.Encoder base64 = Base64.getEncoder();
    all.replaceAll((_, text) -> base64.encodeToString(text.getBytes(StandardCharsets.US_ASCII)));
    return all;
  }

  private Optional<Secret> get(String name) {
    return Optional.ofNullable(
        reported("read", name, () -> client.secrets().inNamespace(namespace).withName(name).get()));
  }

  /** Whether the Secret was made; it was not if it exists already. */
  private boolean create(String name, Map<String, String> fields) {
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(namespace)
            .withLabels(LABELS)
            .endMetadata()
            .withType("Opaque")
            .withData(fields)
            .build();
    return unlessConflict("create", name, () -> client.resource(secret).create());
  }

  /** Whether the Secret was changed; it was not if it changed since it was read. */
  private boolean update(Secret read, Map<String, String> fields) {
    if (fields.equals(read.getData())) {
      return true;
    }
    Secret changed = new SecretBuilder(read).addToData(fields).build();
    return unlessConflict(
        "update", read.getMetadata().getName(), () -> client.resource(changed).update());
  }

  private boolean unlessConflict(String verb, String name, Runnable write) {
    try {
      write.run();
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      throw failed(verb, name, e);
    }
  }

  private Secret reported(String verb, String name, Supplier<Secret> read) {
    try {
      return read.get();
    } catch (KubernetesClientException e) {
      throw failed(verb, name, e);
    }
  }

  private CertificateIssueException failed(
      String verb, String name, KubernetesClientException cause) {
    String remedy =
        cause.getCode() == HttpURLConnection.HTTP_FORBIDDEN
            ? ": allow Muster's service account to get, create and update it"
            : "";
    return new CertificateIssueException(
        "Kubernetes refused to "
            + verb
            + " Secret "
            + named(name)
            + " (HTTP status "
            + cause.getCode()
            + ")"
            + remedy,
        cause);
  }

  private String named(String name) {
    return namespace + "/" + name;
  }
}
