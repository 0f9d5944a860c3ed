package io.muster.kit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A launcher as an operator makes it: a pod, the ConfigMap that it mounts, and an init container
 * that makes one of the copies; the kit makes the others.
 */
final class LauncherPod {

  static final String HOROVOD =
      "horovodrun -np 2 --min-np 1 --max-np 9 --host-discovery-script"
          + " /etc/edl/discover_hosts.sh python train.py";

  private static final String MANIFEST =
      """
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: NAME-config}
      data:
        hostfile: "HOSTFILE"
        deepspeed-hostfile: "SLOTS"
        discover_hosts.sh: "#!/bin/sh\\ncat /etc/edl/hostfile\\n"
        kubexec.sh: "#!/bin/sh\\n/opt/kube/kubectl exec \\"$@\\"\\n"
      ---
      apiVersion: v1
      kind: Pod
      metadata:
        name: NAME
        labels: {training-job-role: launcher}
      spec:
        restartPolicy: Never
        terminationGracePeriodSeconds: 0
        nodeSelector: SELECTOR
        initContainers:
        - name: init-hostfile
          image: any
          command: [sh, -c, cp /etc/mpi/hostfile /etc/edl/hostfile && chmod 600 /etc/edl/hostfile]
        containers:
        - name: main
          image: any
          command: [sh, -c, COMMAND]
          env: VARIABLES
          volumeMounts:
          - {name: training-job-config, mountPath: /etc/mpi}
        volumes:
        - name: training-job-config
          configMap:
            name: NAME-config
            defaultMode: 0444
            items:
            - {key: hostfile, path: hostfile}
            - {key: deepspeed-hostfile, path: deepspeed-hostfile}
            - {key: discover_hosts.sh, path: discover_hosts.sh}
            - {key: kubexec.sh, path: kubexec.sh, mode: 0555}
      """;

  private LauncherPod() {}

  static PodShell create(
      TestSpace space,
      String name,
      String command,
      Map<String, String> variables,
      String... hosts) {
    var manifest =
        MANIFEST
            .replace("NAME", name)
            .replace("HOSTFILE", lines("%s:1\\n", hosts))
            .replace("SLOTS", lines("%s slots=1\\n", hosts))
            .replace("SELECTOR", flow(space.nodeSelector(), "{", "%s: %s", "}"))
            .replace("COMMAND", command)
            .replace("VARIABLES", flow(variables, "[", "{name: %s, value: \"%s\"}", "]"));
    space
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(UTF_8)))
        .inNamespace(space.namespace())
        .create();
    return new PodShell(space.client(), space.namespace(), name);
  }

  private static String lines(String form, String... hosts) {
    return Stream.of(hosts).map(form::formatted).collect(Collectors.joining());
  }

  private static String flow(Map<String, String> map, String open, String form, String close) {
    return map.entrySet().stream()
        .map(entry -> form.formatted(entry.getKey(), entry.getValue()))
        .collect(Collectors.joining(", ", open, close));
  }
}
