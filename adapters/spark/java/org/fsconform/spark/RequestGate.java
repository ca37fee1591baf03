package org.fsconform.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;

/** Tells the gate of the requests by which S3A publishes: copies, of which its renames are made, and completed uploads. */
public final class RequestGate implements ExecutionInterceptor {
  @Override
  public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
    SdkRequest request = context.request();
    try {
      if (request instanceof CopyObjectRequest) {
        Gate.before("copy", "/" + ((CopyObjectRequest) request).destinationKey());
      } else if (request instanceof CompleteMultipartUploadRequest) {
        Gate.before("complete", "/" + ((CompleteMultipartUploadRequest) request).key());
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
