package io.muster.image;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an image says of itself, beside its layers. Immutable.
 *
 * @param reference the name in the index of the layout, such as {@code 0.1.0}
 * @param architecture as Go writes it: {@code amd64}, {@code arm64}
 * @param created the time of all that is in the image, full seconds
 * @param user {@code uid:gid}
 * @param environment variables of the process
 * @param entryPoint the program and the arguments that come before those of the caller
 * @param workingDirectory absolute path
 * @param labels also written as annotations of the manifest
 */
record ImageConfig(
    String reference,
    String architecture,
    Instant created,
    String user,
    Map<String, String> environment,
    List<String> entryPoint,
    String workingDirectory,
    Map<String, String> labels) {

  ImageConfig {
    environment = new TreeMap<>(environment);
    entryPoint = List.copyOf(entryPoint);
    labels = new TreeMap<>(labels);
  }
}
